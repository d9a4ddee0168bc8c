import bs58 from 'bs58'
import { sql, type Transaction } from 'kysely'
import type { WireTransaction } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { verifyEd25519 } from '../domain/ed25519.ts'
import type { TransactionRow } from '../relay/record.ts'
import { createTransactionStore } from '../relay/transaction-store.ts'
import { checkQuota, type Funds, SUBMIT_ERRORS } from './check-quota.ts'
import type { SponsorContext } from './context.ts'
import { readUsage, type SponsorshipRequest } from './usage.ts'

/** All processes hold this lock while they read the usage and add a sponsorship to it. */
export const SPONSORSHIP_LOCK = 7_120_311
/** A process that hangs must not hold the lock longer. */
const LOCK_TIMEOUT_MS = 5_000

export interface Signing {
  readonly row: TransactionRow
  readonly transaction: WireTransaction
  readonly request: SponsorshipRequest
  readonly funds: Funds
  /** The part of the cost that is rent. Null if the transaction creates no account. */
  readonly rent: bigint | null
}

/**
 * Takes the quotas, signs as the fee payer and stores the signed bytes, in one database
 * transaction. Throws what `checkQuota` throws: then nothing is taken or signed. Null if another
 * process wrote the row first.
 */
export function signAndStore(signing: Signing, context: SponsorContext): Promise<TransactionRow | null> {
  const { row, transaction, request, funds, rent } = signing
  const { clock, timing, limits } = context
  const work = async (trx: Transaction<Database>) => {
    const locked = await trx
      .selectFrom('prepared_transactions')
      .select('version')
      .where('id', '=', row.id)
      .forUpdate()
      .executeTakeFirst()
    if (locked?.version !== row.version) return null
    checkQuota(request, await readUsage(trx, request, null), funds, limits, SUBMIT_ERRORS)
    await trx
      .insertInto('sponsorships')
      .values({
        id: row.id,
        state: 'submitted',
        kind: request.kind,
        wallet: request.wallet,
        agent_pda: request.kind === 'registration' ? request.agentPda : null,
        code_hash: request.codeHash,
        client_network: request.clientNetwork,
        reserved_lamports: Number(funds.cost),
        rent_lamports: rent === null ? null : Number(rent),
      })
      .execute()
    const bytes = await sign(transaction, context)
    return createTransactionStore(trx).update(row, {
      status: 'submitted',
      signed_tx: Buffer.from(bytes).toString('base64'),
      // From now on the row of `sponsorships` counts for the client that submitted it.
      client_network: null,
      signature: bs58.encode(bytes.subarray(1, 65)),
      next_check_at: new Date(clock.now() + timing.leaseMs).toISOString(),
    })
  }
  return withUsageLock(context, work)
}

/** Runs `work` in one transaction that holds the lock. */
export function withUsageLock<Result>(
  { kysely, signing }: SponsorContext,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  return signing.add(() =>
    kysely.transaction().execute(async (trx) => {
      const timeout = String(LOCK_TIMEOUT_MS)
      await sql`
        select set_config('statement_timeout', ${timeout}, true),
          set_config('idle_in_transaction_session_timeout', ${timeout}, true)`.execute(trx)
      await sql`select pg_advisory_xact_lock(${sql.lit(SPONSORSHIP_LOCK)})`.execute(trx)
      return work(trx)
    }),
  )
}

/** Puts the fee payer's signature in its place, which is the first. */
async function sign(transaction: WireTransaction, { signer }: SponsorContext): Promise<Uint8Array> {
  const { messageBytes } = transaction
  const signature = await signer.sign(messageBytes)
  if (!verifyEd25519(messageBytes, signature, signer.pubkey))
    throw new Error('the signer of the fee payer returned an invalid signature')
  const bytes = new Uint8Array(transaction.bytes)
  bytes.set(signature, 1)
  return bytes
}
