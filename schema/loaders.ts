import DataLoader from 'dataloader'
import type { HistoryFilter, HistoryRow } from '../src/agents/agent-history.ts'
import type { Connection, ConnectionInput } from '../src/domain/connection.ts'
import type { CardRow } from '../src/identity/agent-cards/card-reads.ts'
import type {
  CredentialFilter,
  CredentialList,
} from '../src/identity/credentials/attached/credential-list.ts'
import type { Services } from '../src/services.ts'
import type { AgentRow, StakeRow } from '../src/registry/rows.ts'
import type { WithdrawalRow } from '../src/stakes/withdrawals.ts'
import type { SubscriptionRow } from '../src/webhooks/subscriptions/subscription-row.ts'

type AgentKeys = Pick<AgentRow, 'pda' | 'owner'>

/** Each loader reads all that an operation needs of one kind in one statement. */
export interface Loaders {
  /** By agent pda; null for a closed agent. */
  readonly agentByPda: DataLoader<string, AgentRow | null>
  /** By agent pda; null for an agent whose card was never queued for a check. */
  readonly cardByAgent: DataLoader<string, CardRow | null>
  readonly stakeByPda: DataLoader<string, StakeRow | null>
  /** By stake pda; null without a requested withdrawal. */
  readonly withdrawalByStake: DataLoader<string, WithdrawalRow | null>
  /** By agent pda; null for an agent without a stake. */
  readonly stakeByAgent: DataLoader<string, StakeRow | null>
  /** By event id; the signature of its transaction, or null if it is not known any more. */
  readonly signatureByEvent: DataLoader<string, string | null>
  /** By agent; one statement for each different filter. */
  readonly credentialsByAgent: (filter: CredentialFilter) => DataLoader<AgentKeys, CredentialList, string>
  /** By agent pda; one statement for each different page. */
  readonly historyByAgent: (
    input: HistoryFilter & ConnectionInput,
  ) => DataLoader<string, Connection<HistoryRow>>
  /** By id; null for a deleted webhook. */
  readonly webhookById: DataLoader<string, SubscriptionRow | null>
}

export function createLoaders({ agents, cards, credentials, stakes, webhooks }: Services): Loaders {
  return {
    agentByPda: rowLoader(
      (pdas) => agents.find(pdas),
      ({ pda }) => pda,
    ),
    cardByAgent: rowLoader(
      (pdas) => cards.find(pdas),
      ({ agentPda }) => agentPda,
    ),
    stakeByPda: rowLoader(
      (pdas) => stakes.find(pdas),
      ({ pda }) => pda,
    ),
    withdrawalByStake: rowLoader(
      (pdas) => stakes.findWithdrawals(pdas),
      ({ stakePda }) => stakePda,
    ),
    stakeByAgent: rowLoader(
      (pdas) => stakes.findByAgents(pdas),
      ({ agentPda }) => agentPda,
    ),
    signatureByEvent: new DataLoader(async (ids) => {
      const signatures = await agents.signatures(ids)
      return ids.map((id) => signatures.get(id) ?? null)
    }),
    credentialsByAgent: memoized(
      ({ type, active }) => [type, active],
      (filter) =>
        new DataLoader(
          async (keys) => {
            const lists = await credentials.listForAgents(keys, filter)
            return keys.map(({ pda }) => lists.get(pda) ?? { pda, total: 0, credentials: [] })
          },
          { cacheKeyFn: ({ pda }) => pda },
        ),
    ),
    historyByAgent: memoized(
      ({ eventType, orphaned, first, after, last, before }) => [
        eventType,
        orphaned === true,
        [first, after, last, before],
      ],
      (input) => new DataLoader((pdas) => agents.histories(pdas, input)),
    ),
    webhookById: rowLoader(
      (ids) => webhooks.findAll(ids),
      ({ id }) => id,
    ),
  }
}

function rowLoader<Row>(
  find: (keys: readonly string[]) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): DataLoader<string, Row | null> {
  return new DataLoader(async (keys) => {
    const rows = new Map((await find(keys)).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })
}

/** One loader for each different key of the arguments. */
function memoized<Args, Loader>(
  keyOf: (args: Args) => unknown[],
  create: (args: Args) => Loader,
): (args: Args) => Loader {
  const loaders = new Map<string, Loader>()
  return (args) => {
    const key = JSON.stringify(keyOf(args))
    const loader = loaders.get(key) ?? create(args)
    loaders.set(key, loader)
    return loader
  }
}
