import bs58 from 'bs58'
import { type Kysely, sql } from 'kysely'
import type { WireTransaction } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import type { TransactionRow } from '../relay/record.ts'
import { programsOf } from '../relay/send.ts'
import { messageBytes } from '../relay/signed-transaction.ts'
import { transactionErrorText } from '../relay/transaction-error-text.ts'
import { createTransactionStore } from '../relay/transaction-store.ts'
import { storableFailure } from '../relay/transitions.ts'
import { checkMessage, costExceeded } from './check-message.ts'
import { fromLedger, type SponsorContext } from './context.ts'
import { quotaExceeded } from './check-quota.ts'
import { SPONSOR_POLICY } from './policy.ts'
import type { OpenSponsorship } from './reservations.ts'
import { type Outflow, simulateOutflow } from './simulate-outflow.ts'

const NO_SIGNATURE = bs58.encode(new Uint8Array(64))

/**
 * The only place that signs as the fee payer. What comes in matches what was prepared and has all other signatures. Here it is looked at
 * as if it had not been checked before, simulated, signed, and stored with its signature in the statement that uses up its reservation.
 * Throws FEE_PAYER_SIGNED, TRANSACTION_MISMATCH, TRANSACTION_EXPIRED, SPONSOR_COST_EXCEEDED, SPONSOR_BALANCE_LOW, SPONSOR_WALLET_LIMIT,
 * INVITE_CODE_INVALID, REGISTRATION_OPEN, WALLET_SPONSORED, LEDGER_UNAVAILABLE.
 */
export async function countersign(
  row: TransactionRow,
  transaction: WireTransaction,
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { signer, reservations, costs, rpc } = context
  if (transaction.message.staticKeys[0] !== signer.pubkey) throw new DomainError('TRANSACTION_EXPIRED')
  if (transaction.signature !== NO_SIGNATURE)
    throw new DomainError('FEE_PAYER_SIGNED', { key: signer.pubkey })
  const sponsorship = await reservations.find(row.id)
  if (sponsorship?.state !== 'reserved') return stateChanged(row, context)
  const fee = checkMessage(transaction.message, sponsorship.kind)
  const rent = sponsorship.kind === 'registration' ? await fromLedger(costs.rent()) : 0n

  const unsigned = Buffer.from(transaction.bytes).toString('base64')
  const parties = { feePayer: signer.pubkey, creates: sponsorship.agent_pda }
  const outflow = await fromLedger(simulateOutflow(rpc, unsigned, parties))
  if (outflow.err === 'BlockhashNotFound') throw await blockhashUnknown(row, context)
  if (outflow.err !== null) return storeFailure(row, transaction, outflow, context)
  checkOutflow(outflow, sponsorship, { fee, rent }, context)

  const bytes = await sign(transaction, context)
  return storeSigned(row, sponsorship, { bytes, lost: outflow.lost, fee }, context)
}

/** Expired since the height was last asked for; or the node is behind the one that gave the blockhash. */
async function blockhashUnknown(
  { last_valid_block_height: last }: TransactionRow,
  { rpc }: SponsorContext,
): Promise<DomainError> {
  const height = await fromLedger(rpc.call<number>('getBlockHeight', [{ commitment: 'confirmed' }]))
  return new DomainError(height > last ? 'TRANSACTION_EXPIRED' : 'LEDGER_UNAVAILABLE')
}

/** Released already, or submitted by somebody else meanwhile: null where the row tells. */
async function stateChanged(row: TransactionRow, { kysely }: SponsorContext): Promise<null> {
  const now = await createTransactionStore(kysely).find(row.id)
  if (now !== null && now.version !== row.version) return null
  throw new DomainError('TRANSACTION_EXPIRED')
}

function checkOutflow(
  { lost, balanceAfter, plainAfter, created }: Outflow,
  { kind }: OpenSponsorship,
  { fee, rent }: { fee: bigint; rent: bigint },
  { registryProgram, limits }: SponsorContext,
): void {
  const most = BigInt(SPONSOR_POLICY.maxLamports)
  const cap = fee + rent < most ? fee + rent : most
  if (lost > cap) throw costExceeded(lost, 'lamports', cap)
  if (!plainAfter) throw new DomainError('TRANSACTION_MISMATCH')
  const { bytes } = SPONSOR_POLICY.registration.creates
  if (kind === 'registration' && (created?.owner !== registryProgram || created.bytes !== bytes))
    throw new DomainError('TRANSACTION_MISMATCH')
  if (balanceAfter < limits.minBalance) throw new DomainError('SPONSOR_BALANCE_LOW')
}

/** The transaction with the fee payer's signature, in its place, which is the first. */
async function sign(transaction: WireTransaction, { signer }: SponsorContext): Promise<Uint8Array> {
  const message = messageBytes(transaction)
  const signature = await signer.sign(message)
  if (!verifyEd25519(message, signature, signer.pubkey))
    throw new Error('the signer of the fee payer gave a signature that is not valid')
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
  const text = transactionErrorText(err, programsOf(message), registryProgram)
  return createTransactionStore(kysely).update(row, {
    status: 'failed',
    error: storableFailure({ code: 'simulation_failed', message: text, logs }),
    // Nobody has a signature of the fee payer: it can never land.
    settled: true,
  })
}

async function storeSigned(
  row: TransactionRow,
  sponsorship: OpenSponsorship,
  { bytes, lost, fee }: { bytes: Uint8Array; lost: bigint; fee: bigint },
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { reservations, clock, timing } = context
  return reservations.withLock(async (trx) => {
    // Whoever changes the state of a sponsorship holds this row: the trigger, in the same statement.
    const held = await trx
      .selectFrom('prepared_transactions')
      .select('version')
      .where('id', '=', row.id)
      .forUpdate()
      .executeTakeFirst()
    if (held?.version !== row.version) return null
    await checkStillGranted(trx, row.id, sponsorship, context)
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

interface StillGranted {
  state: string
  /** Another one of the wallet, that is signed. */
  registration: string | null
  revoked: boolean
  signed: number
  wait: number | null
}

/** What can have changed since it was prepared. */
async function checkStillGranted(
  trx: Kysely<Database>,
  id: string,
  { kind, wallet, code_hash: codeHash }: OpenSponsorship,
  { limits }: SponsorContext,
): Promise<void> {
  const { rows } = await sql<StillGranted>`
    select s.state,
      (select state from sponsorships
        where wallet = ${wallet} and kind = 'registration' and state in ('submitted', 'confirmed')) as registration,
      exists (select from invite_codes where hash = ${codeHash} and revoked_at is not null) as revoked,
      signed.count as signed, signed.wait
    from sponsorships as s,
      lateral (
        select count(*)::int as count,
          ceil(extract(epoch from min(created_at) - (clock_timestamp() - interval '24 hours')))::int as wait
        from sponsorships where wallet = ${wallet} and kind = 'transaction'
          and state in ('submitted', 'confirmed', 'failed') and created_at > clock_timestamp() - interval '24 hours'
      ) as signed
    where s.id = ${id}`.execute(trx)
  const [now] = rows
  if (now?.state !== 'reserved') throw new DomainError('TRANSACTION_EXPIRED')
  if (now.revoked) throw new DomainError('INVITE_CODE_INVALID')
  if (kind === 'registration' && now.registration !== null)
    throw new DomainError(now.registration === 'confirmed' ? 'WALLET_SPONSORED' : 'REGISTRATION_OPEN', {
      wallet,
    })
  const max = limits.dailyTransactionsPerWallet
  if (kind === 'transaction' && now.signed >= max) throw quotaExceeded('SPONSOR_WALLET_LIMIT', max, now.wait)
}
