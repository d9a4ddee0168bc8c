import { cacheExchange, type CacheExchangeOpts } from '@urql/exchange-graphcache'

/** Types that are stored with the object that contains them, although they have an `id`. */
const EMBEDDED = [
  'AgentCardSkill',
  'DidDocument',
  'DidService',
  'PreparedTransaction',
  'VerificationMethod',
  'WebhookCreation',
]

/** Types without an identity. Only the warnings for developers need a list of them. */
const WITHOUT_ID = import.meta.env.DEV
  ? [
      'AgentCard',
      'AgentCardInterface',
      'AgentCheck',
      'AgentHistoryPage',
      'AgentLookup',
      'AgentMetadataChanges',
      'AgentPage',
      'AgentVerdict',
      'AttemptOutcome',
      'BalanceChange',
      'CategoryCount',
      'CredentialCheck',
      'CredentialPage',
      'CredentialVerification',
      'DatabaseHealth',
      'DetailedHealth',
      'DidFeature',
      'DidResolution',
      'Eligibility',
      'EndedSessions',
      'Features',
      'FeeEstimate',
      'FeePayerHealth',
      'Health',
      'IndexerHealth',
      'Info',
      'InnerInstruction',
      'Ledger',
      'McpFeature',
      'NewInviteCode',
      'NewSession',
      'Operator',
      'OperatorSponsorship',
      'OperatorWebhooks',
      'PublishedCard',
      'Readiness',
      'RegistryConfig',
      'RegistryStats',
      'ReputationCount',
      'RpcHealth',
      'ServiceCategoryChange',
      'Session',
      'SignInChallenge',
      'SignInRequest',
      'SpecFeature',
      'SponsoredRegistration',
      'SponsorshipDay',
      'StakePage',
      'StatusCount',
      'TextChange',
      'TierCount',
      'TierThreshold',
      'TokenBalanceChange',
      'TransactionAccount',
      'TransactionFailure',
      'TransactionInstruction',
      'TrustedIssuer',
      'U64Change',
      'Viewer',
      'WalletBalance',
      'WebhookAttempt',
      'WebhookDeletion',
      'WebhookDeliveryPage',
      'WebhookFigures',
      'WebhookPage',
      'WebhookRecovery',
      'WebhookSecret',
      'Withdrawal',
    ]
  : []

/** The types of RegistryEvent. */
const EVENTS = [
  'AgentClosedEvent',
  'AgentDeactivatedEvent',
  'AgentReactivatedEvent',
  'AgentRegisteredEvent',
  'AgentReputationUpdatedEvent',
  'AgentStatusChangedEvent',
  'AgentSuspendedEvent',
  'AgentTierUpdatedEvent',
  'AgentUpdatedEvent',
  'StakeClosedEvent',
  'StakeDepositedEvent',
  'StakeWithdrawalCancelledEvent',
  'StakeWithdrawalRequestedEvent',
  'StakeWithdrawnEvent',
]

/** Select `pda` of agents and stakes, and `id` of the other types with one. */
const options: Partial<CacheExchangeOpts> = {
  keys: {
    ...Object.fromEntries([...EMBEDDED, ...WITHOUT_ID].map((type) => [type, () => null])),
    Agent: (agent) => agent.pda as string | null,
    LedgerTransaction: ({ signature }) => signature as string | null,
    Stake: (stake) => stake.pda as string | null,
  },
  possibleTypes: { RegistryEvent: EVENTS },
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
