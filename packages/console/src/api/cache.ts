import { cacheExchange, type CacheExchangeOpts } from '@urql/exchange-graphcache'
import { POSSIBLE_TYPES, WITHOUT_ID, type WithId } from './types.generated.ts'

/** Types that are stored with the object that contains them, although they have an `id`. */
const EMBEDDED: readonly WithId[] = [
  'AgentCardSkill',
  'DidDocument',
  'DidService',
  'PreparedTransaction',
  'VerificationMethod',
  'WebhookCreation',
]

/** Without the list of the others, developers get warnings. */
const KEYLESS = [...EMBEDDED, ...(import.meta.env.DEV ? WITHOUT_ID : [])]

/** Select `pda` of agents and stakes, and `id` of the other types with one. */
const options: Partial<CacheExchangeOpts> = {
  keys: {
    ...Object.fromEntries(KEYLESS.map((type) => [type, () => null])),
    Agent: (agent) => agent.pda as string | null,
    LedgerTransaction: ({ signature }) => signature as string | null,
    Stake: (stake) => stake.pda as string | null,
  },
  possibleTypes: POSSIBLE_TYPES,
  updates: {
    Mutation: {
      createWebhook: (_result, _arguments, cache) => cache.invalidate('Query', 'webhooks'),
      deleteWebhook: (_result, _arguments, cache) => cache.invalidate('Query', 'webhooks'),
    },
    Subscription: {
      registryEvents: ({ registryEvents: event }, _arguments, cache) => {
        const { agentPda, agent } = event as { agentPda: string; agent?: object | null }
        // The fields that the event has are new.
        const read = Object.keys(agent ?? {})
        const entity = { __typename: 'Agent', pda: agentPda }
        for (const { fieldName, fieldKey } of cache.inspectFields(entity))
          if (!read.includes(fieldName)) cache.invalidate(entity, fieldKey)
        for (const { fieldName, fieldKey } of cache.inspectFields('Query'))
          if (/^agent|^stakes|^registry/.test(fieldName)) cache.invalidate('Query', fieldKey)
      },
    },
  },
}

export const createCache = () => cacheExchange(options)
