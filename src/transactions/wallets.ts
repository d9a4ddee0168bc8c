import { type Kysely, sql } from 'kysely'
import { associatedTokenAccount, pubkey, type Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { mapLedgerError, readAccounts, tokenAccount } from './ledger-state.ts'

/** Balances of a wallet, in base units. */
export type WalletBalance = Awaited<ReturnType<Wallets['balance']>>

/** Gives SOL and USDC to a wallet of the localnet, and waits until they are confirmed. */
export type FundWallet = (wallet: Pubkey) => Promise<void>

export type Wallets = ReturnType<typeof createWallets>

/** Reads balances from the ledger node, in one call. `fund` is null unless this is a localnet. */
export function createWallets(options: {
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerCalls
  readonly fund: FundWallet | null
}) {
  const { kysely, rpc, fund } = options

  /** Throws INVALID_PUBKEY, NOT_READY and LEDGER_UNAVAILABLE. */
  const balance = async (given: string) => {
    const wallet = pubkeyParameter('wallet', given)
    const tokens = associatedTokenAccount(wallet, await readUsdcMint(kysely))
    const [account, token] = await mapLedgerError(readAccounts(rpc, [wallet, tokens]))
    // Without a token account there is no USDC.
    return { lamports: BigInt(account?.lamports ?? 0), usdc: tokenAccount(token)?.amount ?? 0n }
  }

  return {
    balance,
    /** Fixed amounts of SOL and USDC, on a localnet only. Throws LOCALNET_ONLY too. */
    fund: async (given: string) => {
      const wallet = pubkeyParameter('wallet', given)
      if (fund === null) throw new DomainError('LOCALNET_ONLY')
      await fund(wallet)
      return balance(wallet)
    },
  }
}

/** Throws NOT_READY before the registry is initialised. */
export async function readUsdcMint(kysely: Kysely<Database>): Promise<Pubkey> {
  const { rows } = await sql<{ usdc_mint: string }>`select usdc_mint from registry_config`.execute(kysely)
  const [config] = rows
  if (config === undefined) throw new DomainError('NOT_READY', { missing: 'the registry is not initialised' })
  return pubkey(config.usdc_mint)
}
