import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const IndexerStateSchema = defineEntity({
  name: 'IndexerState',
  tableName: 'indexer_state',
  properties: {
    id: p.smallint().autoincrement(false).default(1).primary(),
    programId: key(),
    genesisHash: key(),
    leaderEpoch: p.bigint('number').defaultRaw('0'),
    cursorSlot: p.bigint('number').defaultRaw('0'),
    cursorSignature: key().nullable(),
    finalizedSlot: p.bigint('number').defaultRaw('0'),
    finalizedSignature: key().nullable(),
    updatedAt: timestamp().defaultRaw('now()'),
    commits: p.bigint('number').defaultRaw('0'),
  },
  checks: [{ name: 'indexer_state_id_check', expression: 'id = 1' }],
})

/** How far the ledger has been read, and by whom. */
export class IndexerState extends IndexerStateSchema.class {}

IndexerStateSchema.setClass(IndexerState)
