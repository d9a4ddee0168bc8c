import { cacheExchange, type CacheExchangeOpts, type UpdateResolver } from '@urql/exchange-graphcache'
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

interface RegistryChange {
  readonly type: string
  readonly agentPda: string
  readonly owner: string
}

/** The fields of Query about all agents that events of agents, and of stakes, can change. */
const OF_AGENTS = /^(?:agents|agentSuggestions|registry(?:Stats|Growth|Reputation|Event))/
const OF_STAKES = /^(?:stakes|registry(?:Stats|Stake|Event))/

/** Whether an event can change a field of Query with these arguments. */
export function canChange(
  { type, agentPda, owner }: RegistryChange,
  fieldName: string,
  args: Readonly<Record<string, unknown>> | null,
): boolean {
  const filter = args?.filter as { agentPda?: string | null; types?: readonly string[] | null } | undefined
  if (filter?.types?.includes(type) === false) return false
  const text = JSON.stringify(args)
  if (text.includes(agentPda) || text.includes(owner)) return /^(?:agent|stakes|registry)/.test(fieldName)
  return filter?.agentPda == null && (type.startsWith('STAKE_') ? OF_STAKES : OF_AGENTS).test(fieldName)
}

/** After a mutation, a field of Query is read again. */
const readAgain =
  (field: string): UpdateResolver =>
  (_result, _arguments, cache) =>
    cache.invalidate('Query', field)

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
      createWebhook: readAgain('webhooks'),
      deleteWebhook: readAgain('webhooks'),
      createInviteCode: readAgain('operator'),
      revokeInviteCode: readAgain('operator'),
      retryDeadLetter: readAgain('operator'),
      setIssuerEnabled: readAgain('operator'),
    },
    Subscription: {
      registryEvents: ({ registryEvents }, _arguments, cache) => {
        const event = registryEvents as RegistryChange
        const entity = { __typename: 'Agent', pda: event.agentPda }
        for (const { fieldKey } of cache.inspectFields(entity)) cache.invalidate(entity, fieldKey)
        for (const { fieldName, fieldKey, arguments: args } of cache.inspectFields('Query'))
          if (canChange(event, fieldName, args)) cache.invalidate('Query', fieldKey)
      },
    },
  },
}

export const createCache = () => cacheExchange(options)
