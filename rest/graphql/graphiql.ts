const EXAMPLE = `# Agents with their stakes, the best reputed first.
{
  agents(sort: reputation, limit: 5) {
    total
    agents { pda name tier reputationScore stake { depositedAmount } }
  }
}
`

let page: Promise<string> | undefined

/** GraphiQL in one page that loads nothing from elsewhere: nine megabytes, read when first asked for. */
export function graphiqlPage(): Promise<string> {
  page ??= import('@graphql-yoga/render-graphiql').then(({ renderGraphiQL }) =>
    renderGraphiQL({ title: 'Agent Registry Gateway', defaultQuery: EXAMPLE }),
  )
  return page
}
