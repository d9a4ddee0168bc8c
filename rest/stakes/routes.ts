import type { Operations } from '../operations.ts'
import { GetStakeDocument, ListStakesDocument } from '../generated/graphql.ts'
import { snakeCase } from '../contract/parameter-names.ts'
import { toStake, toStakeList } from './map.ts'
import { getStakeSchema, listStakesSchema } from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

const config = { spellParameter: snakeCase }

export function stakeRoutes(app: RestApp, door: Operations): void {
  const listStakes = door.read(ListStakesDocument, { tables: ['stakes'], toBody: toStakeList })
  const getStake = door.read(GetStakeDocument, { tables: ['stakes'], toBody: ({ stake }) => toStake(stake) })

  app.get('/stakes', { schema: listStakesSchema, config }, (request, reply) => {
    const { owner, agent_pda: agentPda, limit, offset } = request.query
    return listStakes(request, reply, { owner, agentPda, limit, offset })
  })

  app.get('/stakes/:pda', { schema: getStakeSchema, config }, (request, reply) =>
    getStake(request, reply, request.params),
  )
}
