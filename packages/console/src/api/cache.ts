import { cacheExchange, type CacheExchangeOpts } from '@urql/exchange-graphcache'

/** Types without an identity of their own: they are stored with the object that contains them. */
const EMBEDDED = [
  'AgentCard',
  'AgentCardInterface',
  'AgentCardSkill',
  'AgentCheck',
  'AgentConnection',
  'AgentEdge',
  'AgentHistoryConnection',
  'AgentHistoryEdge',
  'AgentHistoryPage',
  'AgentLookup',
  'AgentPage',
  'AgentVerdict',
  'BalanceChange',
  'CategoryCount',
  'CredentialCheck',
  'CredentialList',
  'CredentialVerification',
  'DatabaseHealth',
  'DetailedHealth',
  'DidDocument',
  'DidFeature',
  'DidResolution',
  'DidService',
  'Eligibility',
  'EndedSessions',
  'Features',
  'FeeEstimate',
  'FeePayerHealth',
  'Health',
  'IndexerHealth',
  'Info',
  'Ledger',
  'McpFeature',
  'NewSession',
  'PageInfo',
  'PreparedTransaction',
  'Readiness',
  'RegistryConfig',
  'RegistryEventConnection',
  'RegistryEventEdge',
  'RegistryStats',
  'RpcHealth',
  'Session',
  'SignInChallenge',
  'SignInRequest',
  'SpecFeature',
  'StakeConnection',
  'StakeEdge',
  'StakePage',
  'StatusCount',
  'TierCount',
  'TierThreshold',
  'TokenBalanceChange',
  'TransactionAccount',
  'TransactionFailure',
  'TransactionInstruction',
  'VerificationMethod',
  'WalletBalance',
  'WebhookAttempt',
  'WebhookCreation',
  'WebhookDeletion',
  'WebhookDeliveryConnection',
  'WebhookDeliveryEdge',
  'WebhookDeliveryPage',
  'WebhookRecovery',
  'WebhookSecret',
  'Withdrawal',
]

/** Select `pda` of agents and stakes, and `id` of the other types with one. */
const options: Partial<CacheExchangeOpts> = {
  keys: {
    ...Object.fromEntries(EMBEDDED.map((type) => [type, () => null])),
    Agent: (agent) => agent.pda as string | null,
    LedgerTransaction: ({ signature }) => signature as string | null,
    Stake: (stake) => stake.pda as string | null,
  },
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
          if (/^agent|^stakes|^registryStats|^registryEventsConnection/.test(fieldName))
            cache.invalidate('Query', fieldKey)
      },
    },
  },
}

export const createCache = () => cacheExchange(options)
