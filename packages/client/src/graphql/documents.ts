/** The GraphQL documents of this package. A test validates them against the schema. */
export const EVENTS_SUBSCRIPTION = `subscription Events($types: [WebhookEventType!], $agentPda: Pubkey, $after: String) {
  registryEvents(types: $types, agentPda: $agentPda, after: $after) { id type agentPda slot timestamp data }
}`

export const MINT_QUERY = 'query Mint { registryConfig { usdcMint } }'

export const LATEST_EVENT_QUERY =
  'query LatestEvent { registryEventsConnection(first: 1) { edges { node { id } } } }'

export const AGENT_RENT_PAYER_QUERY =
  'query AgentRentPayer($pda: Pubkey!) { account: agent(pda: $pda) { rentPayer } }'

export const STAKE_RENT_PAYER_QUERY =
  'query StakeRentPayer($pda: Pubkey!) { account: stake(pda: $pda) { rentPayer } }'
