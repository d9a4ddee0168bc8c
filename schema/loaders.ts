import DataLoader from 'dataloader'
import type { HistoryFilter } from '../src/registry/agents/agent-history.ts'
import type { AgentRow } from '../src/registry/rows.ts'
import type { ConnectionInput } from '../src/domain/connection.ts'
import type { CredentialFilter, CredentialList } from '../src/identity/credentials/attached/credentials.ts'
import type { Services } from '../src/compose/services.ts'

type AgentKeys = Pick<AgentRow, 'pda' | 'owner'>

export type Loaders = ReturnType<typeof createLoaders>

/** Each loader reads all that an operation needs of one kind at once, in at most one statement. */
export function createLoaders({ agents, cards, credentials, stakes, webhooks }: Services) {
  return {
    /** Null for a closed agent. */
    agentByPda: rowLoader((pdas) => agents.find(pdas), 'pda'),
    /** Null for an agent whose card was never queued for a check. */
    cardByAgent: rowLoader((pdas) => cards.find(pdas), 'agentPda'),
    stakeByPda: rowLoader((pdas) => stakes.find(pdas), 'pda'),
    /** Null without a requested withdrawal. */
    withdrawalByStake: rowLoader((pdas) => stakes.findWithdrawals(pdas), 'stakePda'),
    /** Null for an agent without a stake. */
    stakeByAgent: rowLoader((pdas) => stakes.findByAgents(pdas), 'agentPda'),
    /** Null for a deleted webhook. */
    webhookById: rowLoader((ids) => webhooks.findAll(ids), 'id'),
    /** Null if it is not stored any more. */
    bodyByDelivery: new DataLoader<string, string | null>(async (ids) => {
      const bodies = await webhooks.bodies(ids)
      return ids.map((id) => bodies.get(id) ?? null)
    }),
    /** Null for a webhook without deliveries. */
    newestDelivery: rowLoader((ids) => webhooks.newestDeliveries(ids), 'subscriptionId'),
    /** The signature of the transaction of an event. Null if it is not known any more. */
    signatureByEvent: new DataLoader<string, string | null>(async (ids) => {
      const signatures = await agents.signatures(ids)
      return ids.map((id) => signatures.get(id) ?? null)
    }),
    /** One statement for each different filter. */
    credentialsByAgent: memoized(
      ({ type, active }: CredentialFilter) => [type, active],
      (filter) =>
        new DataLoader<AgentKeys, CredentialList, string>(
          async (keys) => {
            const lists = await credentials.listForAgents(keys, filter)
            return keys.map(({ pda }) => lists.get(pda) ?? { pda, total: 0, credentials: [] })
          },
          { cacheKeyFn: ({ pda }) => pda },
        ),
    ),
    /** One statement for each different page. */
    historyByAgent: memoized(
      ({ eventType, orphaned, first, after, last, before }: HistoryFilter & ConnectionInput) => [
        eventType,
        orphaned === true,
        [first, after, last, before],
      ],
      (input) => new DataLoader((pdas: readonly string[]) => agents.histories(pdas, input)),
    ),
  }
}

/** `key` is the member of a row by which it is found. */
function rowLoader<Key extends string, Row extends Readonly<Record<Key, string>>>(
  find: (keys: readonly string[]) => Promise<Row[]>,
  key: Key,
): DataLoader<string, Row | null> {
  return new DataLoader(async (keys) => {
    const rows = new Map<string, Row>((await find(keys)).map((row) => [row[key], row]))
    return keys.map((each) => rows.get(each) ?? null)
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
