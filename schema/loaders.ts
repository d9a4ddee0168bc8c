import DataLoader from 'dataloader'
import type { HistoryQuery, HistoryRow } from '../src/agents/agent-history.ts'
import type { AgentRow } from '../src/agents/agent-row.ts'
import type { Page } from '../src/domain/page.ts'
import type {
  CredentialFilter,
  CredentialList,
} from '../src/identity/credentials/attached/credential-list.ts'
import type { Services } from '../src/services.ts'
import type { StakeRow } from '../src/stakes/stake-row.ts'
import type { CardRow } from '../src/identity/agent-cards/card-reads.ts'

/** Each reads what one operation needs of its kind in one statement, however many parents ask. */
export interface Loaders {
  /** By agent pda; null for a closed agent. */
  readonly agentByPda: DataLoader<string, AgentRow | null>
  /** By agent; one statement for each different filter. */
  readonly credentialsByAgent: (
    filter: CredentialFilter,
  ) => DataLoader<{ pda: string; owner: string }, CredentialList, string>
  /** By agent pda; null for an agent that was not queued yet. */
  readonly cardByAgent: DataLoader<string, CardRow | null>
  /** By agent pda; null for an agent without stake. */
  readonly stakeByAgent: DataLoader<string, StakeRow | null>
  /** One statement for each different query. */
  readonly historyByAgent: (query: HistoryQuery) => DataLoader<string, Page<HistoryRow>>
}

export function createLoaders({ agents, cards, credentials, stakes }: Services): Loaders {
  const credentialLists = new Map<string, ReturnType<Loaders['credentialsByAgent']>>()
  const histories = new Map<string, DataLoader<string, Page<HistoryRow>>>()
  return {
    agentByPda: new DataLoader(async (pdas) => byKey(pdas, await agents.find(pdas), (agent) => agent.pda)),
    credentialsByAgent: (filter) => {
      const key = JSON.stringify([filter.type ?? null, filter.active ?? null])
      const loader =
        credentialLists.get(key) ??
        new DataLoader(
          async (keys: readonly { pda: string; owner: string }[]) => {
            const lists = await credentials.listForAgents(keys, filter)
            return keys.map(({ pda }) => lists.get(pda) ?? { pda, total: 0, credentials: [] })
          },
          { cacheKeyFn: ({ pda }) => pda },
        )
      credentialLists.set(key, loader)
      return loader
    },
    cardByAgent: new DataLoader(async (pdas) => byKey(pdas, await cards.find(pdas), (card) => card.agentPda)),
    stakeByAgent: new DataLoader(async (pdas) =>
      byKey(pdas, await stakes.findByAgents(pdas), (stake) => stake.agentPda),
    ),
    historyByAgent: (query) => {
      const key = `${query.eventType ?? ''}/${query.orphaned === true}/${query.limit}/${query.offset}`
      const loader =
        histories.get(key) ??
        new DataLoader(async (pdas: readonly string[]) => {
          const pages = await agents.histories(pdas, query)
          return pdas.map((pda) => pages.get(pda) ?? { ...query, total: 0, rows: [] })
        })
      histories.set(key, loader)
      return loader
    },
  }
}

/** Rows in the order of the keys, as DataLoader wants them. */
function byKey<Row>(keys: readonly string[], rows: Row[], keyOf: (row: Row) => string): (Row | null)[] {
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => found.get(key) ?? null)
}
