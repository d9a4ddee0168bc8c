import bs58 from 'bs58'
import { sql } from 'kysely'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { programId, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import type { Orm } from '../../../src/db/orm-types.ts'

const TAG = 'e445a52e51cb9a1d'
const CONFIG = {
  encoding: 'json',
  commitment: 'finalized',
  maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
}

/**
 * `signature/n` for the n-th instruction of each final transaction whose data starts with Anchor's
 * event tag.
 */
async function eventsOnLedger({ rpc }: RegistryWorld): Promise<string[]> {
  const events: string[] = []
  for (let before: string | undefined; ;) {
    const page = await rpc.call<{ signature: string; err: unknown }[]>('getSignaturesForAddress', [
      programId,
      { limit: 1_000, commitment: 'finalized', ...(before === undefined ? {} : { before }) },
    ])
    if (page.length === 0) return events.sort()
    before = page.at(-1)?.signature
    const good = page.filter((each) => each.err === null)
    const transactions = await rpc.batch<{
      meta: { innerInstructions: { instructions: { data: string }[] }[] }
    }>(good.map(({ signature }) => ({ method: 'getTransaction', params: [signature, CONFIG] })))
    for (const [i, { meta }] of transactions.entries()) {
      const inner = meta.innerInstructions.flatMap((group) => group.instructions)
      const tagged = inner.filter(({ data }) =>
        Buffer.from(bs58.decode(data)).toString('hex').startsWith(TAG),
      )
      for (let n = 0; n < tagged.length; n += 1) events.push(`${good[i]?.signature}/${n}`)
    }
  }
}

/** The same data from tables and ledger, for one `toEqual`. */
export async function compareEvents(world: RegistryWorld, orm: Orm) {
  const db = kyselyOf(orm)
  const { rows } = await sql<{ event: string }>`
    select signature || '/' || (row_number() over (partition by signature order by position) - 1) as event
    from ledger_events where finality = 'finalized'`.execute(db)
  const { rows: unfinished } = await sql<{ id: string }>`
    select id from ledger_events where finality = 'confirmed'`.execute(db)
  return {
    tables: { finalized: rows.map((row) => row.event).sort(), unfinished },
    ledger: { finalized: await eventsOnLedger(world), unfinished: [] },
  }
}

/**
 * The stored deliveries, and those that follow from events and subscriptions. Every event has at
 * least one.
 */
export async function compareDeliveries(orm: Orm) {
  const db = kyselyOf(orm)
  const { rows: actual } = await sql<{ delivery: string }>`
    select concat_ws('/', subscription_id, event_id, status) as delivery from webhook_deliveries`.execute(db)
  const { rows: expected } = await sql<{ delivery: string }>`
    select concat_ws('/', s.id, o.id, case when e.finality = 'orphaned' then 'cancelled' else 'pending' end) as delivery
    from ledger_events e join outbox_events o on o.event_id = e.id
    join webhook_subscriptions s on o.type = any(s.event_types)`.execute(db)
  const { rows: silent } = await sql<{ id: string }>`
    select e.id from ledger_events e where not exists (select 1 from outbox_events o where o.event_id = e.id)`.execute(
    db,
  )
  const sorted = (rows: { delivery: string }[]): string[] => rows.map((row) => row.delivery).sort()
  return {
    actual: { deliveries: sorted(actual), eventsWithoutMessage: silent },
    expected: { deliveries: sorted(expected), eventsWithoutMessage: [] },
  }
}
