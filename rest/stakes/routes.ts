import { snakeCase } from '../contract/parameter-names.ts'
import { GetStakeDocument, ListStakesDocument } from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { getStakeSchema, listStakesSchema } from './schemas.ts'

const config = { spellParameter: snakeCase }

export function stakeRoutes(app: RestApp, operations: Operations): void {
  const listStakes = operations.read(ListStakesDocument, {
    tables: ['stakes'],
    toBody: ({ stakes }) => stakes,
  })
  const getStake = operations.read(GetStakeDocument, { tables: ['stakes'], toBody: ({ stake }) => stake })

  app.get('/stakes', { schema: listStakesSchema, config }, (request, reply) =>
    listStakes(request, reply, request.query),
  )

  app.get('/stakes/:pda', { schema: getStakeSchema, config }, (request, reply) =>
    getStake(request, reply, request.params),
  )
}
