import { decodeEvent, type RegistryEvent } from '@agent-registry/program'
import { eventId, outboxId, positionOf } from './identity.ts'
import { historyEntry } from './history-entry.ts'
import { type ProgramData, parseProgramLogs } from './program-logs.ts'
import { invocationsOf, type RpcTransaction } from './transaction.ts'
import { isoFromSeconds, jsonbText, jsonText, storable } from './values.ts'
import { webhookEvents } from './webhook-events.ts'
import { touchedAccounts } from './touched-accounts.ts'
import type { DeadLetterRow, DecodedTransactions, SignatureInfo } from './rows.ts'

export function emptyBatch(): DecodedTransactions {
  return { transactions: [], events: [], history: [], outbox: [], deadLetters: [] }
}

/** Adds what a transaction means to `batch`. Never throws: what cannot be read becomes a dead letter. */
export function decodeTransaction(
  batch: DecodedTransactions,
  info: SignatureInfo,
  transaction: RpcTransaction,
  transactionIndex: number,
  programId: string,
): void {
  const { signature } = info
  const slot = transaction.slot
  const finality = info.confirmationStatus === 'finalized' ? 'finalized' : 'confirmed'
  if (transaction.meta === null || transaction.meta.err !== null) return
  const letter = (kind: DeadLetterRow['kind'], reason: string, key: string, data?: Uint8Array): void => {
    const id = `${kind}/${signature}/${key}`
    const text = data === undefined ? null : Buffer.from(data).toString('base64')
    batch.deadLetters.push({ id, kind, signature, pda: null, slot, reason, data: text })
  }
  let accounts: string[] = []
  try {
    const invocations = invocationsOf(transaction)
    accounts = [...touchedAccounts(invocations, programId)].sort()
    const logs = parseProgramLogs(transaction.meta.logMessages ?? [], invocations, programId)
    if (logs.problem !== null)
      letter(`${logs.problem}_logs`, `the logs of the transaction are ${logs.problem}`, '')
    for (const entry of logs.entries) {
      const key = `${entry.outer}/${entry.inner}/${entry.ordinal}`
      try {
        const event = decodeEvent(entry.data)
        if (event === null) letter('unknown_event', 'no event has this discriminator', key, entry.data)
        else addEvent(batch, { signature, slot, transactionIndex, finality }, entry, event)
      } catch (error) {
        letter('undecodable_event', reasonOf(error), key, entry.data)
      }
    }
  } catch (error) {
    letter('unreadable_transaction', reasonOf(error), '')
  }
  batch.transactions.push({ signature, slot, transaction_index: transactionIndex, accounts, finality })
}

interface TransactionPlace {
  signature: string
  slot: number
  transactionIndex: number
  finality: 'confirmed' | 'finalized'
}

function addEvent(
  batch: DecodedTransactions,
  { signature, slot, transactionIndex, finality }: TransactionPlace,
  place: ProgramData,
  event: RegistryEvent,
): void {
  const { agent: agent_pda, owner, timestamp } = event.data
  const id = eventId(signature, place)
  const position = positionOf(slot, transactionIndex, place)
  const occurred_at = isoFromSeconds(timestamp)
  const messages = webhookEvents(event).map(({ type, data }) => {
    const messageId = outboxId(signature, place, type)
    const body = jsonText({ id: messageId, type, pda: agent_pda, slot, timestamp: occurred_at, data })
    return { id: messageId, event_id: id, type, agent_pda, slot, body, occurred_at }
  })
  const entry = historyEntry(event)
  const data = jsonbText(event.data)
  batch.events.push({
    id,
    position,
    signature,
    slot,
    name: event.name,
    agent_pda,
    owner,
    data,
    finality,
    occurred_at,
  })
  batch.outbox.push(...messages)
  if (entry !== null)
    batch.history.push({
      event_id: id,
      position,
      agent_pda,
      event_type: entry.eventType,
      old_value: entry.oldValue,
      new_value: entry.newValue,
      delta: entry.delta,
      occurred_at,
    })
}

function reasonOf(error: unknown): string {
  return storable(error instanceof Error ? error.message : String(error))
}
