import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Connection } from '../domain/connection.ts'
import type { Page } from '../domain/page.ts'
import type { AgentListInput } from './agent-filter.ts'
import {
  getAgentHistory,
  getHistories,
  type HistoryInput,
  type HistoryQuery,
  type HistoryRow,
} from './agent-history.ts'
import type { AgentRow } from './agent-row.ts'
import { createGetAgent, findAgents } from './get-agent.ts'
import { listAgents } from './list-agents.ts'
import { type AgentWalkInput, walkAgents } from './walk-agents.ts'
import { type HistoryWalkInput, walkHistory } from './walk-history.ts'

export interface AgentReads {
  list(input: AgentListInput): Promise<Page<AgentRow>>
  walk(input: AgentWalkInput): Promise<Connection<AgentRow>>
  get(pda: string): Promise<AgentRow>
  find(pdas: readonly string[]): Promise<AgentRow[]>
  history(pda: string, input: HistoryInput): Promise<Page<HistoryRow>>
  walkHistory(pda: string, input: HistoryWalkInput): Promise<Connection<HistoryRow>>
  histories(pdas: readonly string[], query: HistoryQuery): Promise<Map<string, Page<HistoryRow>>>
}

export function createAgentReads(kysely: Kysely<Database>): AgentReads {
  return {
    list: (input) => listAgents(kysely, input),
    walk: (input) => walkAgents(kysely, input),
    get: createGetAgent(kysely),
    find: (pdas) => findAgents(kysely, pdas),
    history: (pda, input) => getAgentHistory(kysely, pda, input),
    walkHistory: (pda, input) => walkHistory(kysely, pda, input),
    histories: (pdas, query) => getHistories(kysely, pdas, query),
  }
}
