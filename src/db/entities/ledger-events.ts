import { defineEntity, p } from '@mikro-orm/core'
import type { DeadLetterKind } from '../../domain/dead-letters.ts'
import type { HistoryEventType } from '../../domain/history-events.ts'
import { identity, int8, key, timestamp, timestampNow } from './columns.ts'

/** `orphaned`: a fork removed the transaction from the ledger. */
type Finality = 'confirmed' | 'finalized' | 'orphaned'

const finality = () => p.text().$type<Finality>().default('confirmed')

/**
 * Fixed width, so that text order is ledger order:
 * slot(20)-transaction(6)-outer(4)-inner(4).
 */
const position = key

/** A transaction that called the registry program. */
export const LedgerTransaction = defineEntity({
  name: 'LedgerTransaction',
  tableName: 'ledger_transactions',
  properties: {
    signature: key().primary(),
    slot: int8(),
    transactionIndex: p.integer(),
    /** Registry accounts that it wrote: read again if a fork removes it. Empty once finalized. */
    accounts: p.array().columnType('text[]').collation('C'),
    finality: finality(),
  },
})

/** An event that the registry program logged. */
export const LedgerEvent = defineEntity({
  name: 'LedgerEvent',
  tableName: 'ledger_events',
  properties: {
    id: key().primary(),
    position: position(),
    signature: key(),
    slot: int8(),
    name: p.text(),
    agentPda: key(),
    owner: key(),
    /** Fields in camelCase; u64 and i64 as decimal text, bytes as hex. */
    data: p.json<Record<string, unknown>>(),
    finality: finality(),
    occurredAt: timestamp(),
  },
})

const historyColumns = () => ({
  /**
   * No foreign key to ledger_events: the audit checks that both rows exist, at no cost per write.
   */
  eventId: key().primary(),
  position: position(),
  agentPda: key(),
  eventType: p.text().$type<HistoryEventType>(),
  oldValue: p.text(),
  newValue: p.text(),
  /** Signed like `+12` or `-5`; only of reputation_updated. */
  delta: p.text().strictNullable(),
  occurredAt: timestamp(),
})

/** An entry of an agent's history. */
export const AgentHistoryEntry = defineEntity({
  name: 'AgentHistoryEntry',
  tableName: 'agent_history',
  properties: historyColumns(),
})

/** An entry whose event a fork removed. It is kept, since readers may have seen it. */
export const OrphanedHistoryEntry = defineEntity({
  name: 'OrphanedHistoryEntry',
  tableName: 'orphaned_history',
  properties: { ...historyColumns(), orphanedAt: timestampNow() },
})

/** An event for webhooks and live streams. */
export const OutboxEvent = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_events',
  properties: {
    /** Grows in the order of commits, since one indexer writes at a time. */
    sequence: identity(),
    id: key(),
    eventId: key(),
    type: p.text(),
    agentPda: key(),
    slot: int8(),
    /** The exact bytes to sign and send. */
    body: p.text(),
    occurredAt: timestamp(),
    createdAt: timestampNow(),
    /** Set when a fork removes the event. */
    cancelledAt: timestamp().strictNullable(),
    /**
     * A later number from the same sequence: the event's position after the ledger brought it back.
     */
    restoredSequence: int8().strictNullable(),
  },
})

/** The events of an hour. Triggers of `outbox_events` write it. */
export const RegistryHour = defineEntity({
  name: 'RegistryHour',
  tableName: 'registry_hours',
  properties: {
    hour: timestamp().primary(),
    count: int8(),
    /** Of the sum of all deposits. */
    depositedChange: p.text().columnType('numeric'),
  },
})

/** A transaction or account that the indexer could not read. */
export const DeadLetter = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  properties: {
    id: key().primary(),
    kind: p.text().$type<DeadLetterKind>(),
    signature: key().strictNullable(),
    pda: key().strictNullable(),
    slot: int8(),
    reason: p.text(),
    /** Base64 of the unreadable bytes; for `missing_history` the signature above the gap. */
    data: p.text().strictNullable(),
    createdAt: timestampNow(),
    /** When an operator asked for a retry. Null after the retry. */
    retryRequestedAt: timestamp().strictNullable(),
  },
})

/** How far the indexer has read the ledger: one row. */
export const IndexerState = defineEntity({
  name: 'IndexerState',
  tableName: 'indexer_state',
  properties: {
    id: p.smallint().autoincrement(false).default(1).primary(),
    programId: key(),
    genesisHash: key(),
    /** Grows when an indexer takes over, so that one that lost its lock cannot write. */
    leaderEpoch: int8().defaultRaw('0'),
    cursorSlot: int8().defaultRaw('0'),
    cursorSignature: key().strictNullable(),
    finalizedSlot: int8().defaultRaw('0'),
    finalizedSignature: key().strictNullable(),
    updatedAt: timestampNow(),
    /** Commits of all indexers. An indexer finds a commit that the server lost by comparing it. */
    commits: int8().defaultRaw('0'),
    /** When the tables contained everything of the ledger for the first time. */
    filledAt: timestamp().strictNullable(),
    /** When the tables last contained everything of the ledger. */
    caughtUpAt: timestamp().strictNullable(),
    /** Up to this slot. */
    caughtUpSlot: int8().strictNullable(),
  },
})
