// Reads with persisted queries and the normalised cache, and follows events over a WebSocket.
// Prints what it saw as JSON. Argument: the URL of the gateway.
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode } from 'graphql'
import { createClient } from 'graphql-ws'
import { createHash } from 'node:crypto'

const [url] = process.argv.slice(2)
const requests = []
const counted = (input, init) => {
  requests.push(`${init.method} ${JSON.parse(init.body).query === undefined ? 'hash' : 'text'}`)
  return fetch(input, init)
}
const socket = createClient({ url: `${url.replace('http', 'ws')}/graphql` })
const http = new PersistedQueryLink({
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
}).concat(new HttpLink({ uri: `${url}/graphql`, fetch: counted }))
const introspection = await fetch(`${url}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ __schema { types { kind name possibleTypes { name } } } }' }),
})
const { types } = (await introspection.json()).data.__schema
const possibleTypes = Object.fromEntries(
  types
    .filter(({ kind }) => kind === 'INTERFACE')
    .map((each) => [each.name, each.possibleTypes.map(({ name }) => name)]),
)
const client = new ApolloClient({
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(socket),
    http,
  ),
  cache: new InMemoryCache({
    possibleTypes,
    typePolicies: {
      Query: { fields: { agents: relayStylePagination(['filter', 'orderBy']) } },
    },
  }),
})

const AGENTS = gql`
  query Agents($first: Int, $after: String) {
    agents(first: $first, after: $after, orderBy: { field: NAME, direction: ASC }) {
      totalCount
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        startCursor
        endCursor
        hasNextPage
        hasPreviousPage
      }
    }
  }
`

const first = await client.query({ query: AGENTS, variables: { first: 2 } })
const { endCursor } = first.data.agents.pageInfo
// The cache has one list for all pages, so it must not answer for a page.
await client.query({
  query: AGENTS,
  variables: { first: 2, after: endCursor },
  fetchPolicy: 'network-only',
})
const merged = client.readQuery({ query: AGENTS }).agents
const [{ node }] = merged.edges
const again = await client.query({
  query: gql`
    query Reload($id: ID!) {
      node(id: $id) {
        id
        ... on Agent {
          name
        }
      }
    }
  `,
  variables: { id: node.id },
})
const missing = await client.query({
  query: gql`
    query Missing($owner: Pubkey!) {
      agentByOwner(owner: $owner) {
        id
      }
      registryStats {
        agents
      }
    }
  `,
  variables: { owner: '11111111111111111111111111111111' },
  errorPolicy: 'all',
})
const oldest = await client.query({
  query: gql`
    query {
      registryEvents(last: 1) {
        nodes {
          id
        }
      }
    }
  `,
})
const event = await new Promise((resolve, reject) =>
  client
    .subscribe({
      query: gql`
        subscription ($after: String) {
          registryEvents(after: $after) {
            id
            owner
            ... on AgentUpdatedEvent {
              changes {
                name {
                  old
                  new
                }
              }
            }
            ... on StakeDepositedEvent {
              amount
            }
            agent {
              id
              name
            }
          }
        }
      `,
      variables: { after: oldest.data.registryEvents.nodes[0].id },
    })
    .subscribe({ next: resolve, error: reject }),
)
const { registryEvents } = event.data
const cached = client.readFragment({
  id: client.cache.identify(registryEvents),
  fragment: gql`
    fragment Event on RegistryEvent {
      owner
    }
  `,
})
process.stdout.write(
  JSON.stringify({
    total: merged.totalCount,
    merged: merged.edges.length,
    node: again.data.node.name === node.name,
    missing: missing.data,
    error: missing.error?.message,
    event: registryEvents,
    cached: cached?.owner === registryEvents.owner,
    requests,
  }),
)
client.stop()
await socket.dispose()
process.exit(0)
