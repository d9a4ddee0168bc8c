import type { DecodedTransaction } from './decode.ts'

/** Facts of the page that the bytes of the transaction do not contain. */
export interface Hints {
  /** The agent has no stake yet, so a deposit creates its accounts. */
  readonly firstDeposit?: boolean
  /** USDC base units that the completion of a withdrawal pays out. */
  readonly payout?: bigint
}

export interface Costs {
  readonly networkFee: bigint
  /** Lamports locked in new accounts. They come back when the accounts are closed. */
  readonly rent: bigint
  readonly rentPayer: string
  /** What the wallet loses, in lamports. */
  readonly walletLamports: bigint
  /** Change of the wallet’s USDC, in base units. */
  readonly walletUsdc: bigint
}

/** Bytes of the accounts that an instruction creates. */
const NEW_BYTES: Readonly<Record<string, readonly number[]>> = {
  registerAgent: [421],
  requestWithdrawal: [57],
  deactivateAgent: [51],
}
const FIRST_DEPOSIT = [129, 165]
const LAMPORTS_PER_BYTE = 6_960n
const ACCOUNT_OVERHEAD = 128

/** Who pays what. An account lives as long as its rent is deposited. */
export function costsOf(
  { feePayer, networkFee, instructions }: DecodedTransaction,
  wallet: string,
  { firstDeposit = false, payout = 0n }: Hints,
): Costs {
  let [rent, walletUsdc] = [0n, 0n]
  let rentPayer = wallet
  for (const { decoded } of instructions) {
    if (decoded === null) continue
    const { name, accounts, args } = decoded
    const sizes = name === 'deposit' && firstDeposit ? FIRST_DEPOSIT : (NEW_BYTES[name] ?? [])
    for (const bytes of sizes) rent += BigInt(ACCOUNT_OVERHEAD + bytes) * LAMPORTS_PER_BYTE
    rentPayer = accounts.find((account) => account.name === 'payer')?.pubkey ?? wallet
    if (name === 'deposit') walletUsdc -= args.amount as bigint
    if (name === 'completeWithdrawal') walletUsdc += payout
  }
  const walletLamports = (feePayer === wallet ? networkFee : 0n) + (rentPayer === wallet ? rent : 0n)
  return { networkFee, rent, rentPayer, walletLamports, walletUsdc }
}
