import DataLoader from 'dataloader'
import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import type { ConnectionInput } from '../../domain/connection.ts'
import { DomainError } from '../../domain/errors.ts'
import type { PageInput } from '../../domain/page.ts'
import { pubkeyParameter } from '../../domain/parameters.ts'
import {
  findHistoryEntry,
  findSignatures,
  getAgentHistory,
  listHistoryConnections,
  type HistoryFilter,
  listHistoryConnection,
} from './agent-history.ts'
import { databaseReader, type RegistryReader } from '../registry.ts'
import { agentColumns, type AgentRow } from '../rows.ts'
import { listAgents, listAgentsConnection, type SortedAgentFilter } from './list-agents.ts'
import { lookupAgents, suggestAgents, type SuggestionInput } from './lookup-agents.ts'
import { type Requirements, verifyAgent } from './verify-agent.ts'

export type AgentReads = ReturnType<typeof createAgentReads>

/** Requests that arrive together are read in one statement, up to this number. */
const MAX_BATCH = 100

/** Without a registry in memory, PostgreSQL answers. */
export function createAgentReads(
  kysely: Kysely<Database>,
  { registry = databaseReader }: { readonly registry?: RegistryReader } = {},
) {
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
  const list = (input: SortedAgentFilter & PageInput) => listAgents(sources, input)
  return {
    list,
    listConnection: (input: SortedAgentFilter & ConnectionInput) => listAgentsConnection(sources, input),
    /** Throws INVALID_PUBKEY, and AGENT_NOT_FOUND for an unknown or closed agent. */
    get: async (pda: string) => (await lookUp(pda)) ?? notFound(),
    /** The agent of a wallet. Throws what `get` throws. */
    getByOwner: async (owner: string) => (await findByOwner(owner)) ?? notFound(),
    /** The same as `get`, but null for an unknown or closed agent. */
    lookUp,
    /** The agent of a wallet, or null. Throws INVALID_PUBKEY. */
    findByOwner,
    /** By a DID, a key, an address or a name. Throws INVALID_DID and INVALID_TEXT. */
    lookUpAny: (query: string) => lookupAgents({ list, lookUp, findByOwner }, query),
    /** Checks the agent of a wallet. Throws INVALID_PUBKEY and INVALID_INTEGER. */
    verify: (required: Requirements) => verifyAgent({ findByOwner }, required),
    /** Throws INVALID_TEXT and INVALID_INTEGER. */
    suggest: (input: SuggestionInput) => suggestAgents(sources, input),
    /** The existing agents among these addresses, in no order. */
    find: (pdas: readonly string[]) =>
      registry.read(
        ({ agents }) => agents.find(pdas),
        () => select(pdas),
      ),
    history: (pda: string, input: HistoryFilter & PageInput) => getAgentHistory(kysely, pda, input),
    historyConnection: (pda: string, input: HistoryFilter & ConnectionInput) =>
      listHistoryConnection(kysely, pda, input),
    /** By its id. Null for an unknown one, or one that a fork removed. */
    historyEntry: (id: string) => findHistoryEntry(kysely, id),
    /** The signatures of the transactions of these history entries, by event id. */
    signatures: (eventIds: readonly string[]) => findSignatures(kysely, eventIds),
    /** The same page of the histories of several agents, in their order. */
    histories: (pdas: readonly string[], input: HistoryFilter & ConnectionInput) =>
      listHistoryConnections(kysely, pdas, input),
  }
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
