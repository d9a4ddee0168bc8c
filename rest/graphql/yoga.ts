import { createYoga, type Plugin } from 'graphql-yoga'
import { createGraphQLContext } from '../../schema/context.ts'
import { clientError } from '../../schema/errors.ts'
import { schema } from '../../schema/index.ts'
import { parseLimited, sizeLimits } from '../../schema/limits.ts'
import type { Logger } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'

export interface ServerContext {
  readonly clientIp: string
}

const EXAMPLE = `# Agents with their stakes, the best reputed first.
{
  agents(sort: reputation, limit: 5) {
    total
    agents { pda name tier reputationScore stake { depositedAmount } }
  }
}
`

export function createGraphQLServer(services: Services, logger: Logger) {
  return createYoga<ServerContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: { title: 'Agent Registry Gateway', defaultQuery: EXAMPLE },
    multipart: false,
    batching: false,
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    logging: {
      debug: silent,
      info: silent,
      warn: silent,
      error: (...args) => logger.error({ args }, 'graphql'),
    },
    maskedErrors: {
      maskError: (error) => clientError(error, (err) => logger.error({ err }, 'operation failed')),
    },
    plugins: [limits()],
    context: ({ clientIp }) => createGraphQLContext({ services, clientIp }),
  })
}

function silent(): void {}

function limits(): Plugin {
  return {
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | { body: string }) =>
        parseLimited(typeof source === 'string' ? source : source.body),
      ),
    onValidate: ({ addValidationRule }) => addValidationRule(sizeLimits),
    onResultProcess: (payload) => {
      const { result } = payload
      if (!('errors' in result) || result.errors === undefined) return
      const errors = result.errors.map((error) =>
        error.extensions?.['status'] === undefined ? clientError(error, silent) : error,
      )
      payload.setResult({ ...result, errors })
    },
  }
}
