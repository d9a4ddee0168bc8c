/** The tabs of the editor on the first visit: operations of real use, from reads to writes. */
export const EXAMPLES: readonly string[] = [
  `# Agents with their stakes, highest reputation first.
query BestAgents {
  agents(orderBy: { field: REPUTATION }, first: 5) {
    totalCount
    nodes { pda name tier reputationScore stake { depositedAmount } }
  }
}
`,
  `# As people type: a word of a longer name, with a typing error.
query Search {
  agents(filter: { words: "kestral" }, first: 10) { nodes { pda name nameSimilarity } }
}
`,
  `# One agent with its card, its credentials and its last changes.
query Agent {
  agents(filter: { status: ACTIVE, tier: PREMIUM }, first: 1) {
    nodes {
      pda name owner did capabilityNames
      card { state signature description skills { name } }
      credentials(first: 5) { nodes { type issuer } }
      history(first: 5) { nodes { eventType oldValue newValue timestamp } }
    }
  }
}
`,
  `# What happened last, with the fields of some events.
query Events {
  registryEvents(first: 20) {
    nodes {
      type agentPda slot timestamp signature
      ... on AgentReputationUpdatedEvent { previousReputation newReputation }
      ... on StakeDepositedEvent { amount depositedAmount }
    }
  }
}
`,
  `# New events, as they arrive.
subscription Live {
  registryEvents { id type agentPda timestamp }
}
`,
  `# The registry in numbers, for a chart.
query Numbers {
  registryStats { agents stakes depositedAmount byTier { tier agents } byStatus { status agents } }
  registryReputation { from to agents }
  registryConfig { cooldownSeconds tiers { tier minimumStake } }
}
`,
  `# Stakes, the highest first, with their agents.
query Stakes {
  stakes(orderBy: { field: DEPOSITED_AMOUNT }, first: 10) {
    nodes { depositedAmount lockedAmount agent { name tier } }
  }
}
`,
  `# The state of the service and of its indexer.
query Health {
  info { network program feeSponsorshipEnabled }
  detailedHealth { status indexer { phase } }
}
`,
  `# Your webhooks, how their receivers do, and their last deliveries. Needs a session: sign in on the console in
# this tab, or send the header authorization, as "Bearer" and a token.
query Webhooks {
  viewer { wallet }
  webhooks {
    nodes {
      id url active
      figures(hours: 24) { attempts succeeded p50Ms p95Ms }
      deliveries(first: 5) { nodes { eventType status attempts { responseStatus errorCode } } }
    }
  }
}
`,
  `# Creates a webhook. The secret is shown once. Needs a session: sign in on the console in
# this tab, or send the header authorization, as "Bearer" and a token.
mutation CreateWebhook {
  createWebhook(input: {
    url: "https://receiver.example.com/hooks/agents"
    eventTypes: [AGENT_REGISTERED, AGENT_CLOSED]
  }) {
    id
    secret
  }
}
`,
]
