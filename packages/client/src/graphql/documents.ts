import { EVENT_FIELDS } from '../generated/events.ts'

// The GraphQL documents of this package. A test validates them against the schema.

export const EVENTS_SUBSCRIPTION = `subscription Events($filter: RegistryEventFilter, $after: String) {
  registryEvents(filter: $filter, after: $after) { id type slot timestamp ${EVENT_FIELDS} }
}`

export const MINT_QUERY = 'query Mint { registryConfig { usdcMint } }'

export const LATEST_EVENT_QUERY = 'query LatestEvent { registryEvents(first: 1) { nodes { id } } }'

export const AGENT_RENT_PAYER_QUERY =
  'query AgentRentPayer($pda: Pubkey!) { account: agent(pda: $pda) { rentPayer } }'

export const STAKE_RENT_PAYER_QUERY =
  'query StakeRentPayer($pda: Pubkey!) { account: stake(pda: $pda) { rentPayer } }'
