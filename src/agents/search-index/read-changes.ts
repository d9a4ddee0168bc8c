import type { Client } from 'pg'
import type { AgentProfile, IndexedAgent } from './agent-slots.ts'
import type { IndexPosition } from './protocol.ts'
import { shownTrigrams } from './trigrams.ts'

/** A row of `COLUMNS`, as an array. */
type AgentValues = [
  pda: string,
  name: string,
  trigrams: string[] | null,
  tier: string,
  status: string,
  category: string,
  mismatched: boolean,
  reputation: number,
  createdAt: number,
]

/**
 * PostgreSQL computes the trigrams of names that are not ASCII. `$1` is true if it must for all.
 */
const COLUMNS = `a.name,
  case when $1::boolean or octet_length(a.name) <> char_length(a.name) then show_trgm(a.name) end,
  a.tier, a.status, a.service_category, a.card_hash_mismatch, a.reputation_score,
  (extract(epoch from a.created_at) * 1000000)::float8`

const PAGE = 'select a.pda, ' + COLUMNS + ' from agents a where a.pda > $2 order by a.pda limit $3'

const POSITION = `extract(epoch from pg_postmaster_start_time())::text as server,
  pg_snapshot_xmin(pg_current_snapshot())::text as floor`

// Transaction ids of a restored database can be of transactions that are running now.
const CHANGED = `search_xid >= $2::xid8 and search_xid <> all($3::xid8[])
  and pg_visible_in_snapshot(search_xid, pg_current_snapshot())`

const CHANGES = `
  with changes as (
    select search_xid, pda from agents where ${CHANGED}
    union all
    select search_xid, pda from removed_agents where ${CHANGED}
    limit $4
  )
  select position.server, position.floor, c.search_xid::text, c.pda, a.pda, ${COLUMNS}
  from (select ${POSITION}) as position left join changes c on true left join agents a on a.pda = c.pda`

/** More are read faster as a whole. */
const MAX_CHANGES = 20_000
const PAGE_SIZE = 10_000

export interface Changes {
  readonly position: IndexPosition
  /** Null if there are too many, or the server was restarted. */
  readonly agents: readonly { readonly pda: string; readonly agent: IndexedAgent | null }[] | null
}

export async function readPosition(client: Client): Promise<IndexPosition> {
  const { rows } = await client.query<{ server: string; floor: string }>(`select ${POSITION}`)
  return { server: rows[0]!.server, floor: rows[0]!.floor, applied: [] }
}

/** All agents in parts. Changes since a position that was read before are in them, or follow it. */
export async function* readAgents(client: Client, allTrigrams: boolean): AsyncGenerator<IndexedAgent[]> {
  const profiles = new Map<string, AgentProfile>()
  for (let last = ''; ;) {
    const values = [allTrigrams, last, PAGE_SIZE]
    const { rows } = await client.query<AgentValues>({ text: PAGE, values, rowMode: 'array' })
    yield rows.map((row) => toAgent(row, profiles))
    if (rows.length < PAGE_SIZE) return
    last = rows.at(-1)![0]
  }
}

/** What was committed since a position, read in one snapshot. */
export async function readChanges(
  client: Client,
  { server, floor, applied }: IndexPosition,
  allTrigrams: boolean,
): Promise<Changes> {
  const values = [allTrigrams, floor, applied, MAX_CHANGES + 1]
  const { rows } = await client.query<
    [server: string, floor: string, xid: string | null, changed: string, pda: string | null]
  >({ text: CHANGES, values, rowMode: 'array' })
  const [newServer, newFloor] = rows[0]!
  const changed = rows.filter(([, , xid]) => xid !== null)
  const seen = new Set([...applied, ...changed.map(([, , xid]) => xid!)])
  const position = {
    server: newServer,
    floor: newFloor,
    applied: [...seen].filter((xid) => BigInt(xid) >= BigInt(newFloor)),
  }
  if (newServer !== server || changed.length > MAX_CHANGES) return { position, agents: null }
  const profiles = new Map<string, AgentProfile>()
  const agents = changed.map(([, , , pda, existing, ...values]) => ({
    pda,
    agent: existing === null ? null : toAgent([existing, ...values] as unknown as AgentValues, profiles),
  }))
  return { position, agents }
}

function toAgent(
  [pda, name, trigrams, tier, status, category, mismatched, reputation, createdAt]: AgentValues,
  profiles: Map<string, AgentProfile>,
): IndexedAgent {
  const key = `${tier} ${status} ${category} ${mismatched}`
  let profile = profiles.get(key)
  if (profile === undefined) profiles.set(key, (profile = { tier, status, category, mismatched }))
  return {
    pda,
    name,
    trigrams: trigrams && shownTrigrams(trigrams),
    profile,
    reputation,
    createdAt,
  }
}

/** The trigrams of a text of any script. */
export async function readTrigrams(client: Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ trigrams: string[] }>('select show_trgm($1) as trigrams', [text])
  return rows[0]!.trigrams
}
