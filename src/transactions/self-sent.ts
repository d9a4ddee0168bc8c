import PQueue from 'p-queue'
import {
  compactLength,
  decodeBase58,
  parseTransaction,
  VERSION_0,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import type { RpcInstruction, RpcTransaction } from '../ledger/decode/rpc-transaction.ts'
import type { SeenTransaction } from '../ledger/indexer/context.ts'
import { fetchTransaction, nullIfLedgerError } from './ledger-state.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import type { TransactionsContext } from './context.ts'
import { matchKey, ownRows, wrongSigner } from './match.ts'
import { SEEN_LIMITS } from './limits.ts'
import type { TransactionRow } from './transaction-store.ts'
import { transactionErrorText } from './error-text.ts'
import { onSeen } from './transitions.ts'

type Landed = ReturnType<typeof readable>[number]

/**
 * Finds prepared transactions among those that the indexer sees, because wallets can send them
 * themselves. What is missed here is found by the search after the transaction has expired.
 */
export function createSelfSent(context: TransactionsContext) {
  const failures = createFailureLog(context.logger, 'could not compare new transactions with prepared ones')
  // A node that is slow to return failed transactions must not delay others.
  const queue = new PQueue({ concurrency: 4 })
  let waiting: SeenTransaction[] = []
  let isStopped = false

  const work = async (): Promise<void> => {
    const seen = waiting
    waiting = []
    try {
      await confirmPrepared(readable(seen), context)
      await confirmPrepared(await fetchFailed(seen, context), context)
      failures.clear()
    } catch (error) {
      failures.report(error)
    }
  }

  return {
    see: ({ signature, transaction }: SeenTransaction): void => {
      if (isStopped || waiting.length >= SEEN_LIMITS.waiting) return
      waiting.push({ signature, transaction })
      if (waiting.length === 1) void queue.add(work)
    },
    /** Waits until everything seen so far is compared. */
    idle: (): Promise<void> => queue.onIdle(),
    stop: async (): Promise<void> => {
      isStopped = true
      await queue.onIdle()
    },
  }
}

/** Those that can be prepared ones and whose outcome the node returned. */
function readable(seen: readonly Pick<SeenTransaction, 'transaction'>[]) {
  return seen.flatMap(({ transaction }) => {
    if (!transaction?.meta) return []
    const wire = wireTransaction(transaction)
    const key = wire === null ? null : matchKey(wire.message)
    const { slot, meta } = transaction
    return wire === null || key === null ? [] : [{ wire, slot, meta, key }]
  })
}

/** The indexer reads no failed transactions. These are read while an unsubmitted one is open. */
async function fetchFailed(seen: readonly SeenTransaction[], { store, rpc }: TransactionsContext) {
  const failed = seen.filter(({ transaction }) => transaction === null).map(({ signature }) => signature)
  if (failed.length === 0 || (await store.countOpen()).unsubmitted === 0) return []
  const known = await store.findSignatures(failed)
  const wanted = failed.filter((signature) => !known.has(signature)).slice(0, SEEN_LIMITS.fetches)
  const fetched = await Promise.all(
    wanted.map((signature) =>
      fetchTransaction<RpcTransaction>(rpc, signature, 'json').catch(nullIfLedgerError),
    ),
  )
  return readable(fetched.map((transaction) => ({ transaction })))
}

async function confirmPrepared(landed: readonly Landed[], context: TransactionsContext): Promise<void> {
  if (landed.length === 0) return
  const rows = await context.store.findByMatchKeys([...new Set(landed.map(({ key }) => key))])
  const byKey = Map.groupBy(rows, (row) => row.matchKey)
  for (const each of landed) {
    const prepared = byKey.get(each.key)
    // With a wrong signature, the bytes are not those of the ledger.
    if (prepared === undefined || wrongSigner(each.wire) !== null) continue
    for (const row of ownRows(each.wire, prepared)) await confirm(row, each, context)
  }
}

async function confirm(row: TransactionRow, landed: Landed, context: TransactionsContext): Promise<void> {
  const { clock, store, updates } = context
  const change = onSeen(row, seenStatus(landed, context), new Date(clock.now()).toISOString())
  if (change === null) return
  if ((await store.update(row, change)) !== null) return updates.notify(row.id)
  // Another process wrote first: it has just submitted or polled the transaction.
  const current = await store.find(row.id)
  if (current !== null) await confirm(current, landed, context)
}

function seenStatus({ wire, slot, meta }: Landed, { registryProgram }: TransactionsContext) {
  const { message, signature, bytes } = wire
  const signedTx = Buffer.from(bytes).toString('base64')
  const seen = { kind: 'landed', finality: 'confirmed', slot, signature, signedTx } as const
  if (meta.err === null) return { ...seen, failure: null }
  const logs = meta.logMessages ?? []
  const text = transactionErrorText(meta.err, message, registryProgram, logs)
  return { ...seen, failure: { code: 'execution_failed', message: text, logs } as const }
}

/** A v0 transaction from JSON. Null for others, and with lookup tables: a prepared one has none. */
export function wireTransaction({ version, transaction }: RpcTransaction): WireTransaction | null {
  const { signatures, message } = transaction
  const { header, accountKeys, recentBlockhash, instructions, addressTableLookups = [] } = message
  if (version !== 0 || addressTableLookups.length > 0) return null
  if (header === undefined || signatures === undefined || recentBlockhash === undefined) return null
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header
  const parts = [
    compactLength(signatures.length),
    ...signatures.map(bytesOf),
    [VERSION_0, numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts],
    compactLength(accountKeys.length),
    ...[...accountKeys, recentBlockhash].map(bytesOf),
    compactLength(instructions.length),
    ...instructions.flatMap(instructionParts),
    compactLength(0),
  ]
  try {
    return parseTransaction(Buffer.concat(parts.map((each) => Uint8Array.from(each))))
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

function instructionParts({ programIdIndex, accounts, data }: RpcInstruction): Iterable<number>[] {
  const bytes = bytesOf(data)
  return [[programIdIndex], compactLength(accounts.length), accounts, compactLength(bytes.length), bytes]
}

/** Text that is not base-58 becomes no bytes: then the signature does not match. */
const bytesOf = (text: string): Uint8Array => decodeBase58(text) ?? new Uint8Array()
