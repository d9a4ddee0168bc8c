import DataLoader from 'dataloader'
import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import type { Connection, ConnectionInput } from '../../domain/connection.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Page, PageInput } from '../../domain/page.ts'
import { pubkeyParameter } from '../../domain/parameters.ts'
import {
  findHistoryEntry,
  findSignatures,
  getAgentHistory,
  listHistoryConnections,
  type HistoryFilter,
  type HistoryRow,
  listHistoryConnection,
} from './agent-history.ts'
import { databaseReader } from '../registry.ts'
import { agentColumns, type AgentRow } from '../rows.ts'
import { listAgentsConnection, type AgentSources, listAgents, type SortedAgentFilter } from './list-agents.ts'
import { type FoundAgents, lookupAgents, suggestAgents, type SuggestionInput } from './lookup-agents.ts'
import { type AgentVerdict, type Requirements, verifyAgent } from './verify-agent.ts'

export interface AgentReads {
  list(input: SortedAgentFilter & PageInput): Promise<Page<AgentRow>>
  listConnection(input: SortedAgentFilter & ConnectionInput): Promise<Connection<AgentRow>>
  /** Throws INVALID_PUBKEY, and AGENT_NOT_FOUND for an unknown or closed agent. */
  get(pda: string): Promise<AgentRow>
  /** The agent of a wallet. Throws what `get` throws. */
  getByOwner(owner: string): Promise<AgentRow>
  /** The same as `get`, but null for an unknown or closed agent. */
  lookUp(pda: string): Promise<AgentRow | null>
  /** The agent of a wallet, or null. Throws INVALID_PUBKEY. */
  findByOwner(owner: string): Promise<AgentRow | null>
  /** By a DID, a key, an address or a name. Throws INVALID_DID and INVALID_TEXT. */
  lookUpAny(query: string): Promise<FoundAgents>
  /** Checks the agent of a wallet. Throws INVALID_PUBKEY and INVALID_INTEGER. */
  verify(required: Requirements): Promise<AgentVerdict>
  /** Throws INVALID_TEXT and INVALID_INTEGER. */
  suggest(input: SuggestionInput): Promise<AgentRow[]>
  /** The existing agents among these addresses, in no order. */
  find(pdas: readonly string[]): Promise<AgentRow[]>
  history(pda: string, input: HistoryFilter & PageInput): Promise<Page<HistoryRow>>
  historyConnection(pda: string, input: HistoryFilter & ConnectionInput): Promise<Connection<HistoryRow>>
  /** By its id. Null for an unknown one, or one that a fork removed. */
  historyEntry(id: string): Promise<HistoryRow | null>
  /** The signatures of the transactions of these history entries, by event id. */
  signatures(eventIds: readonly string[]): Promise<Map<string, string>>
  /** The same page of the histories of several agents, in their order. */
  histories(
    pdas: readonly string[],
    input: HistoryFilter & ConnectionInput,
  ): Promise<Connection<HistoryRow>[]>
}

/** Requests that arrive together are read in one statement, up to this number. */
const MAX_BATCH = 100

/** Without a registry in memory, PostgreSQL answers. */
export function createAgentReads(
  kysely: Kysely<Database>,
  { registry = databaseReader }: Partial<Omit<AgentSources, 'kysely'>> = {},
): AgentReads {
  const sources = { kysely, registry }
  const select = async (pdas: readonly string[]): Promise<AgentRow[]> => {
    const key = pdas.length === 1 ? sql`pda = ${pdas[0]}` : sql`pda = any(${pdas}::text[])`
    const { rows } = await sql<AgentRow>`select ${agentColumns} from agents where ${key}`.execute(kysely)
    return rows
  }
  // Nothing is cached: a response is as new as one that is read alone.
  const loader = new DataLoader(
    async (pdas: readonly string[]) => {
      // Without its cache, the loader repeats a key that several requests ask for.
      const agents = new Map((await select([...new Set(pdas)])).map((agent) => [agent.pda, agent]))
      return pdas.map((pda) => agents.get(pda))
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: setImmediate },
  )
  const lookUp = async (given: string) => {
    const pda = pubkeyParameter('pda', given)
    return registry.read(
      ({ agents }) => agents.get(pda),
      async () => (await loader.load(pda)) ?? null,
    )
  }
  const findByOwner = async (given: string) => {
    const owner = pubkeyParameter('owner', given)
    return registry.read(
      ({ agents }) => agents.ofOwner(owner),
      () => findAgentOf(kysely, owner),
    )
  }
  const reads: AgentReads = {
    list: (input) => listAgents(sources, input),
    listConnection: (input) => listAgentsConnection(sources, input),
    get: async (pda) => (await lookUp(pda)) ?? notFound(),
    getByOwner: async (owner) => (await findByOwner(owner)) ?? notFound(),
    lookUp,
    findByOwner,
    lookUpAny: (query) => lookupAgents(reads, query),
    verify: (required) => verifyAgent(reads, required),
    suggest: (input) => suggestAgents(sources, input),
    find: (pdas) =>
      registry.read(
        ({ agents }) => agents.find(pdas),
        () => select(pdas),
      ),
    history: (pda, input) => getAgentHistory(kysely, pda, input),
    historyConnection: (pda, input) => listHistoryConnection(kysely, pda, input),
    historyEntry: (id) => findHistoryEntry(kysely, id),
    signatures: (eventIds) => findSignatures(kysely, eventIds),
    histories: (pdas, input) => listHistoryConnections(kysely, pdas, input),
  }
  return reads
}

function notFound(): never {
  throw new DomainError('AGENT_NOT_FOUND')
}

/**
 * The agent of a wallet. The program allows one agent per owner. The order makes the result stable
 * if another program does not.
 */
async function findAgentOf(kysely: Kysely<Database>, owner: Pubkey): Promise<AgentRow | null> {
  const { rows } = await sql<AgentRow>`
    select ${agentColumns} from agents where owner = ${owner}
    order by created_at, pda limit 1`.execute(kysely)
  return rows[0] ?? null
}
