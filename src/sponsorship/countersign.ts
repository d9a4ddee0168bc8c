import bs58 from 'bs58'
import type { WireTransaction } from '@agent-registry/solana'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { explainFailure } from '../relay/explain-failure.ts'
import { mapLedgerError } from '../relay/map-ledger-error.ts'
import type { TransactionRow } from '../relay/record.ts'
import { createTransactionStore } from '../relay/transaction-store.ts'
import { storableFailure } from '../relay/transitions.ts'
import { checkMessage } from './check-message.ts'
import type { SponsorContext } from './context.ts'
import { costExceeded } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'
import { readPrepared } from './read-prepared.ts'
import { signAndStore } from './sign-and-store.ts'
import { type Outflow, simulateOutflow } from './simulate-outflow.ts'

const NO_SIGNATURE = bs58.encode(new Uint8Array(64))

/**
 * The only place that lets the fee payer sign. The transaction matches the prepared one and has all
 * other signatures. Its bytes are checked again and simulated. Throws FEE_PAYER_SIGNED,
 * TRANSACTION_MISMATCH, TRANSACTION_EXPIRED, SPONSOR_COST_EXCEEDED, LEDGER_UNAVAILABLE, and what
 * `signAndStore` throws. Null if another process wrote first.
 */
export async function countersign(
  row: TransactionRow,
  transaction: WireTransaction,
  clientIp: string,
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const { signer, addresses, amounts, rpc } = context
  if (transaction.message.staticKeys[0] !== signer.pubkey) throw new DomainError('TRANSACTION_EXPIRED')
  if (transaction.signature !== NO_SIGNATURE)
    throw new DomainError('FEE_PAYER_SIGNED', { key: signer.pubkey })
  const prepared = readPrepared(row, addresses)
  const { kind, agentPda } = prepared
  const fee = checkMessage(transaction.message, kind)
  const isRegistration = kind === 'registration'
  const unsigned = Buffer.from(transaction.bytes).toString('base64')
  const accounts = { feePayer: signer.pubkey, creates: isRegistration ? agentPda : null }
  const [outflow, rent] = await mapLedgerError(
    Promise.all([simulateOutflow(rpc, unsigned, accounts), isRegistration ? amounts.agentRentNow() : null]),
  )
  if (outflow.err === 'BlockhashNotFound') throw await blockhashUnknown(row, context)
  if (outflow.err !== null) return storeFailure(row, transaction, outflow, context)
  const cost = checkOutflow(outflow, kind, fee + (rent ?? 0n), context)

  const request = { ...prepared, clientNetwork: clientNetwork(clientIp) }
  const funds = { cost, balance: outflow.balanceAfter + outflow.lost }
  return signAndStore({ row, transaction, request, funds, rent }, context)
}

/** The transaction has expired, or the node is behind the one that returned the blockhash. */
async function blockhashUnknown(
  { last_valid_block_height: lastValid }: TransactionRow,
  { rpc }: SponsorContext,
): Promise<DomainError> {
  const height = await mapLedgerError(rpc.call<number>('getBlockHeight', [{ commitment: 'confirmed' }]))
  return new DomainError(height > lastValid ? 'TRANSACTION_EXPIRED' : 'LEDGER_UNAVAILABLE')
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

async function storeFailure(
  row: TransactionRow,
  transaction: WireTransaction,
  { err, logs }: Outflow,
  context: SponsorContext,
): Promise<TransactionRow | null> {
  const text = await explainFailure({ err, logs }, transaction.messageBytes, context)
  return createTransactionStore(context.kysely).update(row, {
    status: 'failed',
    error: storableFailure({ code: 'simulation_failed', message: text, logs }),
    // Nobody has the fee payer's signature, so the transaction can never land.
    settled: true,
  })
}
