import type { DecodedTransaction } from './decode.ts'
import type { RentsQuery } from './ledger.generated.ts'

/** Facts of the page that the bytes of the transaction do not contain. */
export interface Hints {
  /** The agent has no stake yet, so a deposit creates its accounts. */
  readonly firstDeposit?: boolean
  /** USDC base units that the completion of a withdrawal pays out. */
  readonly payout?: bigint
}

/** What the ledger asks for an account of each kind, in lamports. */
type Rents = Omit<RentsQuery['ledger'], '__typename'>

export type Costs = ReturnType<typeof costsOf>

/** The accounts that an instruction creates. */
const NEW_ACCOUNTS: Readonly<Record<string, readonly (keyof Rents)[]>> = {
  registerAgent: ['agent'],
  requestWithdrawal: ['withdrawal'],
  deactivateAgent: ['deactivation'],
}
const FIRST_DEPOSIT: readonly (keyof Rents)[] = ['stake', 'vault']

/** Who pays what. An account lives as long as its rent is deposited. */
export function costsOf(
  { feePayer, networkFee, instructions }: DecodedTransaction,
  wallet: string,
  { firstDeposit = false, payout = 0n }: Hints,
  rents: Rents | undefined,
) {
  const created: (keyof Rents)[] = []
  let walletUsdc = 0n
  let rentPayer = wallet
  for (const { decoded } of instructions) {
    if (decoded === null) continue
    const { name, accounts, args } = decoded
    created.push(...(name === 'deposit' && firstDeposit ? FIRST_DEPOSIT : (NEW_ACCOUNTS[name] ?? [])))
    rentPayer = accounts.find((account) => account.name === 'payer')?.pubkey ?? wallet
    if (name === 'deposit') walletUsdc -= args.amount as bigint
    if (name === 'completeWithdrawal') walletUsdc += payout
  }
  const rent = created.reduce<bigint | null>(
    (sum, account) => (sum === null || rents === undefined ? null : sum + BigInt(rents[account])),
    0n,
  )
  const ownFee = feePayer === wallet ? networkFee : 0n
  const ownRent = rentPayer === wallet ? rent : 0n
  const walletLamports = ownRent === null ? null : ownFee + ownRent
  return {
    networkFee,
    /** Locked in new accounts until they are closed. Null while the rent is not known. */
    rent,
    rentPayer,
    /** What the wallet loses. Null while the rent is not known. */
    walletLamports,
    /** Change of the wallet’s USDC, in base units. */
    walletUsdc,
  }
}
