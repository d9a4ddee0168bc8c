// Reads a list, and follows events as server-sent events. Prints what it saw as JSON. Argument: the
// URL of the gateway.
import { Client, fetchExchange, gql } from '@urql/core'

const [url] = process.argv.slice(2)
const client = new Client({
  url: `${url}/graphql`,
  exchanges: [fetchExchange],
  fetchSubscriptions: true,
  preferGetMethod: false,
})
const { data } = await client.query(
  gql`
    {
      registryStats {
        agents
      }
      registryEvents(last: 1) {
        nodes {
          id
        }
      }
    }
  `,
  {},
)
const after = data.registryEvents.nodes[0].id
const event = await new Promise((resolve) => {
  client
    .subscription(
      gql`
        subscription ($after: String) {
          registryEvents(after: $after) {
            id
            type
          }
        }
      `,
      { after },
    )
    .subscribe(resolve)
})
process.stdout.write(
  JSON.stringify({
    agents: data.registryStats.agents,
    after,
    event: event.error ?? event.data.registryEvents,
  }),
)
process.exit(0)
