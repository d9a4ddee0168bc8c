import { LockMode } from '@mikro-orm/core'
import { encodeBase58, type Pubkey, SYSTEM_PROGRAM, type WireTransaction } from '@agent-registry/solana'
import { PreparedTransaction } from '../db/entities/prepared-transactions.ts'
import { Sponsorship } from '../db/entities/sponsorship.ts'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { simulate } from './build.ts'
import { checkMessage } from './check-sponsored.ts'
import type { SponsorContext } from './context.ts'
import { explainFailure } from './explain-failure.ts'
import { mapLedgerError } from './ledger-state.ts'
import { preparedMessage } from './match.ts'
import {
  checkQuota,
  type Funds,
  readUsage,
  QUOTA_ERRORS_AT_SUBMIT,
  type SponsorshipRequest,
  sponsorshipRequest,
  withUsageLock,
} from './quota.ts'
import { costExceeded, SPONSOR_POLICY } from './sponsor-policy.ts'
import type { TransactionRow } from './transaction-store.ts'
import { cleanFailure } from './transitions.ts'

const NO_SIGNATURE = encodeBase58(new Uint8Array(64))

/** The wallet that a sponsored transaction was prepared for is its second signer. */
export const sponsoredWallet = (row: TransactionRow): Pubkey => preparedMessage(row).staticKeys[1]!

/**
 * The only place that lets the fee payer sign. The transaction matches the prepared one and has all
 * other signatures. Its bytes are checked again and simulated. Throws FEE_PAYER_SIGNED,
 * TRANSACTION_MISMATCH, TRANSACTION_EXPIRED, SPONSOR_COST_EXCEEDED, LEDGER_UNAVAILABLE, and what
 * `checkQuota` throws. Null if another process wrote first.
 */
export async function countersign(
  row: TransactionRow,
  transaction: WireTransaction,
  clientIp: string,
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { signer, amounts } = context.sponsor
  // The operator has changed the key since the preparation.
  if (transaction.message.staticKeys[0] !== signer.pubkey) throw new DomainError('TRANSACTION_EXPIRED')
  if (transaction.signature !== NO_SIGNATURE)
    throw new DomainError('FEE_PAYER_SIGNED', { key: signer.pubkey })
  const request = sponsorshipRequest(sponsoredWallet(row), row.inviteCodeHash, clientIp, context)
  const { kind, agentPda } = request
  const fee = checkMessage(transaction.message, kind)
  const isRegistration = kind === 'registration'
  const unsigned = Buffer.from(transaction.bytes).toString('base64')
  const accounts = { feePayer: signer.pubkey, creates: isRegistration ? agentPda : null }
  const [outflow, rent] = await mapLedgerError(
    Promise.all([
      simulateOutflow(context.rpc, unsigned, accounts),
      isRegistration ? amounts.agentRentNow() : null,
    ]),
  )
  if (outflow.err === 'BlockhashNotFound') throw await blockhashUnknown(row, context)
  if (outflow.err !== null) return storeFailure(row, transaction, outflow, context)
  const cost = checkOutflow(outflow, kind, fee + (rent ?? 0n), context)
  const funds = { cost, balance: outflow.balanceAfter + outflow.lost, rent }
  return signAndStore(row, transaction, request, funds, context)
}

/** The transaction has expired, or the node is behind the one that returned the blockhash. */
async function blockhashUnknown({ lastValidBlockHeight }: TransactionRow, { rpc }: SponsorContext) {
  const height = await mapLedgerError(rpc.call<number>('getBlockHeight', [{ commitment: 'confirmed' }]))
  return new DomainError(height > lastValidBlockHeight ? 'TRANSACTION_EXPIRED' : 'LEDGER_UNAVAILABLE')
}

async function storeFailure(
  row: TransactionRow,
  transaction: WireTransaction,
  { err, logs }: Outflow,
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const text = await explainFailure({ err, logs }, transaction.messageBytes, context)
  return context.store.update(row, {
    status: 'failed',
    error: cleanFailure({ code: 'simulation_failed', message: text, logs }),
    // Nobody has the fee payer's signature, so the transaction can never land.
    settled: true,
  })
}

type Outflow = Awaited<ReturnType<typeof simulateOutflow>>

/**
 * What a transaction would do to the fee payer now, without its signatures. Lamports. Meaningless
 * unless `err` is null. Throws LedgerRpcError if no node responds.
 */
async function simulateOutflow(
  rpc: LedgerCalls,
  transaction: string,
  { feePayer, creates }: { feePayer: Pubkey; creates: string | null },
) {
  const addresses = creates === null ? [feePayer] : [feePayer, creates]
  let simulation = await simulate(rpc, transaction, addresses)
  let [balanceBefore] = simulation.preBalances
  if (simulation.err === null && balanceBefore === undefined) {
    // The node does not report balances before the simulation. Income between the two calls can
    // only hide a loss that `checkMessage` allows.
    const balance = await rpc.call<{ value: number }>('getBalance', [feePayer, { commitment: 'confirmed' }])
    balanceBefore = balance.value
    simulation = await simulate(rpc, transaction, addresses)
  }
  const { err, logs } = simulation
  const [payer, created] = simulation.accounts
  const balanceAfter = BigInt(payer?.lamports ?? 0)
  return {
    err,
    logs,
    lost: BigInt(balanceBefore ?? 0) - balanceAfter,
    balanceAfter,
    /** Whether the System program still owns the fee payer's account, without data. */
    isPlainAfter: payer?.owner === SYSTEM_PROGRAM && payer.data[0] === '',
    /** The account `creates` after the transaction. */
    created: created ? { owner: created.owner, bytes: Buffer.from(created.data[0], 'base64').length } : null,
  }
}

/** Returns the most that the transaction can cost, in lamports. */
function checkOutflow(
  { lost, isPlainAfter, created }: Outflow,
  kind: SponsorshipKind,
  expected: bigint,
  { registryProgram }: SponsorContext,
): bigint {
  const max = BigInt(SPONSOR_POLICY.maxLamports)
  const cap = expected < max ? expected : max
  if (lost > cap) throw costExceeded(lost, 'lamports', cap)
  if (!isPlainAfter) throw new DomainError('TRANSACTION_MISMATCH')
  const { bytes } = SPONSOR_POLICY.registration.creates
  if (kind === 'registration' && (created?.owner !== registryProgram || created.bytes !== bytes))
    throw new DomainError('TRANSACTION_MISMATCH')
  return cap
}

/**
 * Takes the quotas, signs and stores the signed bytes in one database transaction. Throws what
 * `checkQuota` throws: then nothing is taken or signed. Null if another process wrote first.
 */
function signAndStore(
  row: TransactionRow,
  transaction: WireTransaction,
  request: SponsorshipRequest,
  /** `rent` is a part of the cost. Null if the transaction creates no account. */
  funds: Funds & { readonly rent: bigint | null },
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { clock, timing, sponsor } = context
  return withUsageLock(context, async (em) => {
    const { id, version } = row
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const locked = await em.findOne(PreparedTransaction, { id, version }, { lockMode })
    if (locked === null) return null
    const usage = await readUsage(em.getKysely(), request, null)
    checkQuota(request, usage, funds, sponsor.limits, QUOTA_ERRORS_AT_SUBMIT)
    em.create(Sponsorship, {
      id,
      state: 'submitted',
      kind: request.kind,
      wallet: request.wallet,
      agentPda: request.kind === 'registration' ? request.agentPda : null,
      code: request.codeHash,
      clientNetwork: request.clientNetwork,
      reservedLamports: Number(funds.cost),
      rentLamports: funds.rent === null ? null : Number(funds.rent),
    })
    // Written before the fee payer signs: an error of the database here leaves no signature.
    await em.flush()
    const bytes = await sign(transaction, context)
    return em.assign(locked, {
      status: 'submitted',
      signedTx: Buffer.from(bytes).toString('base64'),
      // From now on the row of `sponsorships` counts for the client that submitted it.
      clientNetwork: null,
      signature: encodeBase58(bytes.subarray(1, 65)),
      nextCheckAt: new Date(clock.now() + timing.leaseMs).toISOString(),
    })
  })
}

/** Signs as the fee payer, whose signature is the first of the transaction. */
async function sign(transaction: WireTransaction, { sponsor }: SponsorContext): Promise<Uint8Array> {
  const { signer } = sponsor
  const { messageBytes } = transaction
  const signature = await signer.sign(messageBytes)
  if (!verifyEd25519(messageBytes, signature, signer.pubkey))
    throw new Error('the signer of the fee payer returned an invalid signature')
  const bytes = new Uint8Array(transaction.bytes)
  bytes.set(signature, 1)
  return bytes
}
