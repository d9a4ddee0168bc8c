import { getIntrospectionQuery } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { LIMITS } from '../../../../schema/limits.ts'
import { useTestApp } from '../../../support/app.ts'
import { insertAgents } from '../../../support/factories.ts'
import { type GraphQLAnswer, query } from '../../../support/graphql.ts'
import { ATTACKS } from '../../../support/graphql-attacks.ts'

const t = useTestApp()
beforeAll(() =>
  insertAgents(
    t.kysely,
    Array.from({ length: 60 }, (_, i) => `agent ${i}`),
  ),
)

test.each(ATTACKS)(
  'the attack "$name" is refused with the text of its limit',
  async ({ body, status, refusal }) => {
    const response = await t.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json' },
      payload: body,
    })
    expect(response.statusCode).toBe(status)
    const { errors, error } = response.json<GraphQLAnswer & { error?: string }>()
    expect(error ?? errors?.map(({ message }) => message).join(' ')).toContain(refusal)
    expect(response.body.length).toBeLessThan(10_000)
  },
)

test('the limit of values also applies to the query string', async () => {
  const variables = JSON.stringify({ f: Array.from({ length: LIMITS.values }, () => 1) })
  const response = await t.app.inject({ url: '/graphql', query: { query: '{ __typename }', variables } })
  expect(response.statusCode).toBe(400)
  expect(response.json<GraphQLAnswer>().errors?.[0]?.message).toBe(
    `The request has more than ${LIMITS.values} values`,
  )
})

test('several types can be introspected at once', async () => {
  const { a, b } = await query<Record<'a' | 'b', object>>(
    t,
    '{ a: __type(name: "Agent") { name } b: __type(name: "Stake") { name } }',
  )
  expect({ a, b }).toEqual({ a: { name: 'Agent' }, b: { name: 'Stake' } })
})

test('the introspection query of tools is allowed', async () => {
  const { __schema } = await query<{ __schema: object }>(t, getIntrospectionQuery())
  expect(__schema).toHaveProperty('types')
})
