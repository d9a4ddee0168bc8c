/** The GraphQL documents of this package. A test validates them against the schema. */
export const EVENTS_SUBSCRIPTION = `subscription Events($types: [WebhookEventType!], $agentPda: Pubkey, $after: String) {
  registryEvents(types: $types, agentPda: $agentPda, after: $after) { id type agentPda slot timestamp data }
}`

export const MINT_QUERY = 'query Mint { registryConfig { usdcMint } }'

export const LATEST_EVENT_QUERY =
  'query LatestEvent { registryEventsConnection(first: 1) { edges { node { id } } } }'
