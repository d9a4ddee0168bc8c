// The GraphQL documents of this package. A test validates them against the schema.

const MOVEMENT = 'stakePda amount depositedAmount lockedAmount pendingWithdrawal'

export const EVENTS_SUBSCRIPTION = `subscription Events($filter: RegistryEventFilter, $after: String) {
  registryEvents(filter: $filter, after: $after) {
    id type slot timestamp agentPda owner
    ... on AgentRegisteredEvent {
      name tier status serviceCategory reputationScore capabilities version agentCardUrl agentCardHash createdAt
    }
    ... on AgentUpdatedEvent {
      changes {
        name { old new } serviceCategory { old new } capabilities { old new } version { old new }
        agentCardUrl { old new } agentCardHash { old new }
      }
    }
    ... on AgentReputationUpdatedEvent { previousReputation newReputation delta reason }
    ... on AgentTierUpdatedEvent { previousTier newTier stakeAmount }
    ... on AgentStatusChangedEvent { previousStatus newStatus status }
    ... on AgentSuspendedEvent { status byAdmin }
    ... on AgentReactivatedEvent { status byAdmin }
    ... on AgentDeactivatedEvent { status finalReputation }
    ... on StakeDepositedEvent { ${MOVEMENT} }
    ... on StakeWithdrawnEvent { ${MOVEMENT} }
    ... on StakeWithdrawalRequestedEvent { ${MOVEMENT} }
    ... on StakeWithdrawalCancelledEvent { ${MOVEMENT} }
    ... on StakeClosedEvent { ${MOVEMENT} }
  }
}`

export const MINT_QUERY = 'query Mint { registryConfig { usdcMint } }'

export const LATEST_EVENT_QUERY = 'query LatestEvent { registryEvents(first: 1) { nodes { id } } }'

export const AGENT_RENT_PAYER_QUERY =
  'query AgentRentPayer($pda: Pubkey!) { account: agent(pda: $pda) { rentPayer } }'

export const STAKE_RENT_PAYER_QUERY =
  'query StakeRentPayer($pda: Pubkey!) { account: stake(pda: $pda) { rentPayer } }'
