import bs58 from 'bs58'
import { type Kysely, sql } from 'kysely'
import type { WireTransaction } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import { mapLedgerError } from '../relay/map-ledger-error.ts'
import type { TransactionRow } from '../relay/record.ts'
import { messageBytes } from '../relay/signed-transaction.ts'
import { transactionErrorText } from '../relay/transaction-error-text.ts'
import { createTransactionStore } from '../relay/transaction-store.ts'
import { storableFailure } from '../relay/transitions.ts'
import { checkMessage } from './check-message.ts'
import { quotaExceeded } from './check-quota.ts'
import type { SponsorContext } from './context.ts'
import { costExceeded } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { StoredSponsorship } from './reservations.ts'
import { type Outflow, simulateOutflow } from './simulate-outflow.ts'

const NO_SIGNATURE = bs58.encode(new Uint8Array(64))

/**
 * The only place that signs as the fee payer. The transaction matches the prepared one and has all
 * other signatures. Its bytes are checked again, simulated, signed, and stored together with the
 * use of the reservation. Throws FEE_PAYER_SIGNED, TRANSACTION_MISMATCH, TRANSACTION_EXPIRED,
 * SPONSOR_COST_EXCEEDED, SPONSOR_BALANCE_LOW, SPONSOR_WALLET_LIMIT, INVITE_CODE_INVALID,
 * REGISTRATION_OPEN, WALLET_SPONSORED, LEDGER_UNAVAILABLE. Null if another process wrote first.
 */
export async function countersign(
  row: TransactionRow,
  transaction: WireTransaction,
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { signer, reservations, amounts, rpc } = context
  if (transaction.message.staticKeys[0] !== signer.pubkey) throw new DomainError('TRANSACTION_EXPIRED')
  if (transaction.signature !== NO_SIGNATURE)
    throw new DomainError('FEE_PAYER_SIGNED', { key: signer.pubkey })
  const sponsorship = await reservations.find(row.id)
  if (sponsorship?.state !== 'reserved') return notReserved(row, context)
  const fee = checkMessage(transaction.message, sponsorship.kind)
  const rent = sponsorship.kind === 'registration' ? await mapLedgerError(amounts.agentRent.get()) : 0n

  const unsigned = Buffer.from(transaction.bytes).toString('base64')
  const accounts = { feePayer: signer.pubkey, creates: sponsorship.agent_pda }
  const outflow = await mapLedgerError(simulateOutflow(rpc, unsigned, accounts))
  if (outflow.err === 'BlockhashNotFound') throw await blockhashUnknown(row, context)
  if (outflow.err !== null) return storeFailure(row, transaction, outflow, context)
  checkOutflow(outflow, sponsorship, { fee, rent }, context)

  const bytes = await sign(transaction, context)
  return storeSigned(row, sponsorship, { bytes, lost: outflow.lost, fee }, context)
}

/** The transaction has expired, or the node is behind the one that returned the blockhash. */
async function blockhashUnknown(
  { last_valid_block_height: lastValid }: TransactionRow,
  { rpc }: SponsorContext,
): Promise<DomainError> {
  const height = await mapLedgerError(rpc.call<number>('getBlockHeight', [{ commitment: 'confirmed' }]))
  return new DomainError(height > lastValid ? 'TRANSACTION_EXPIRED' : 'LEDGER_UNAVAILABLE')
}

/** Null if another process submitted the transaction. Otherwise the reservation was released. */
async function notReserved(row: TransactionRow, { kysely }: SponsorContext): Promise<null> {
  const current = await createTransactionStore(kysely).find(row.id)
  if (current !== null && current.version !== row.version) return null
  throw new DomainError('TRANSACTION_EXPIRED')
}

function checkOutflow(
  { lost, balanceAfter, isPlainAfter, created }: Outflow,
  { kind }: StoredSponsorship,
  { fee, rent }: { fee: bigint; rent: bigint },
  { registryProgram, limits }: SponsorContext,
): void {
  const max = BigInt(SPONSOR_POLICY.maxLamports)
  const cap = fee + rent < max ? fee + rent : max
  if (lost > cap) throw costExceeded(lost, 'lamports', cap)
  if (!isPlainAfter) throw new DomainError('TRANSACTION_MISMATCH')
  const { bytes } = SPONSOR_POLICY.registration.creates
  if (kind === 'registration' && (created?.owner !== registryProgram || created.bytes !== bytes))
    throw new DomainError('TRANSACTION_MISMATCH')
  if (balanceAfter < limits.minBalance) throw new DomainError('SPONSOR_BALANCE_LOW')
}

/** Puts the fee payer's signature in its place, which is the first. */
async function sign(transaction: WireTransaction, { signer }: SponsorContext): Promise<Uint8Array> {
  const message = messageBytes(transaction)
  const signature = await signer.sign(message)
  if (!verifyEd25519(message, signature, signer.pubkey))
    throw new Error('the signer of the fee payer returned an invalid signature')
  const bytes = new Uint8Array(transaction.bytes)
  bytes.set(signature, 1)
  return bytes
}

async function storeFailure(
  row: TransactionRow,
  { message }: WireTransaction,
  { err, logs }: Outflow,
  { kysely, registryProgram }: SponsorContext,
): Promise<TransactionRow | null> {
  const text = transactionErrorText(err, message, registryProgram, logs)
  return createTransactionStore(kysely).update(row, {
    status: 'failed',
    error: storableFailure({ code: 'simulation_failed', message: text, logs }),
    // Nobody has the fee payer's signature, so the transaction can never land.
    settled: true,
  })
}

async function storeSigned(
  row: TransactionRow,
  sponsorship: StoredSponsorship,
  { bytes, lost, fee }: { bytes: Uint8Array; lost: bigint; fee: bigint },
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { reservations, clock, timing } = context
  return reservations.withLock(async (trx) => {
    // The trigger that changes a sponsorship's state locks this row too.
    const locked = await trx
      .selectFrom('prepared_transactions')
      .select('version')
      .where('id', '=', row.id)
      .forUpdate()
      .executeTakeFirst()
    if (locked?.version !== row.version) return null
    await checkStillAllowed(trx, row.id, sponsorship, context)
    const submitted = await createTransactionStore(trx).update(row, {
      status: 'submitted',
      signed_tx: Buffer.from(bytes).toString('base64'),
      signature: bs58.encode(bytes.subarray(1, 65)),
      next_check_at: new Date(clock.now() + timing.leaseMs).toISOString(),
    })
    const rent = sponsorship.kind === 'registration' ? Number(lost > fee ? lost - fee : 0n) : null
    await trx
      .updateTable('sponsorships')
      .set({ reserved_lamports: Number(lost > fee ? lost : fee), rent_lamports: rent })
      .where('id', '=', row.id)
      .execute()
    return submitted
  })
}

interface CurrentState {
  state: string
  /** The state of another registration of the wallet that is signed. */
  signedRegistration: string | null
  codeRevoked: boolean
  signedTransactions: number
  retrySeconds: number | null
}

/** Checks what can have changed since the transaction was prepared. */
async function checkStillAllowed(
  trx: Kysely<Database>,
  id: string,
  { kind, wallet, code_hash: codeHash }: StoredSponsorship,
  { limits }: SponsorContext,
): Promise<void> {
  const { rows } = await sql<CurrentState>`
    select s.state,
      (select state from sponsorships
        where wallet = ${wallet} and kind = 'registration' and state in ('submitted', 'confirmed')
      ) as "signedRegistration",
      exists (select from invite_codes where hash = ${codeHash} and revoked_at is not null) as "codeRevoked",
      wallet_usage.count as "signedTransactions", wallet_usage.retry_seconds as "retrySeconds"
    from sponsorships as s,
      lateral (
        select count(*)::int as count,
          ceil(extract(epoch from min(created_at) - (clock_timestamp() - interval '24 hours')))::int
            as retry_seconds
        from sponsorships where wallet = ${wallet} and kind = 'transaction'
          and state in ('submitted', 'confirmed', 'failed') and created_at > clock_timestamp() - interval '24 hours'
      ) as wallet_usage
    where s.id = ${id}`.execute(trx)
  const [current] = rows
  if (current?.state !== 'reserved') throw new DomainError('TRANSACTION_EXPIRED')
  if (current.codeRevoked) throw new DomainError('INVITE_CODE_INVALID')
  if (kind === 'registration' && current.signedRegistration !== null) {
    const code = current.signedRegistration === 'confirmed' ? 'WALLET_SPONSORED' : 'REGISTRATION_OPEN'
    throw new DomainError(code, { wallet })
  }
  const max = limits.dailyTransactionsPerWallet
  if (kind === 'transaction' && current.signedTransactions >= max)
    throw quotaExceeded('SPONSOR_WALLET_LIMIT', max, current.retrySeconds)
}
