import { snakeCase } from '../contract/parameter-names.ts'
import { GetStakeDocument, ListStakesDocument } from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { getStakeSchema, listStakesSchema } from './schemas.ts'

export function stakeRoutes(app: RestApp, operations: Operations): void {
  const options = { ...operations.tables, config: { spellParameter: snakeCase } }
  const listStakes = operations.read(ListStakesDocument, {
    tables: ['stakes'],
    toBody: ({ stakes }) => stakes,
  })
  const getStake = operations.read(GetStakeDocument, { tables: ['stakes'], toBody: ({ stake }) => stake })

  app.get('/stakes', { ...options, schema: listStakesSchema }, (request, reply) =>
    listStakes(request, reply, request.query),
  )

  app.get('/stakes/:pda', { ...options, schema: getStakeSchema }, (request, reply) =>
    getStake(request, reply, request.params),
  )
}
