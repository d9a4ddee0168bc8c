import type { Door, RestApp } from '../door.ts'
import { GetStakeDocument, ListStakesDocument } from '../generated/graphql.ts'
import { snakeCase } from '../parameter-names.ts'
import { toStake, toStakeList } from './map.ts'
import { getStakeSchema, listStakesSchema } from './schemas.ts'

const config = { spellParameter: snakeCase }

export function stakeRoutes(app: RestApp, door: Door): void {
  const listStakes = door.operation(ListStakesDocument)
  const getStake = door.operation(GetStakeDocument)

  app.get('/stakes', { schema: listStakesSchema, config }, async (request) => {
    const { owner, agent_pda: agentPda, limit, offset } = request.query
    return toStakeList(await listStakes(request, { owner, agentPda, limit, offset }))
  })

  app.get('/stakes/:pda', { schema: getStakeSchema, config }, async (request) => {
    const { stake } = await getStake(request, request.params)
    return toStake(stake)
  })
}
