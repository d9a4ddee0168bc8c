import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { insertStakes, keyOf, stakeRow } from '../../support/factories.ts'

const LABELS = ['a', 'b', 'c', 'd', 'e']
const BY_PDA = LABELS.map((label) => keyOf(`stake ${label}`)).sort()

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  await insertStakes(t.kysely, [
    ...LABELS.slice(1).map((label) => stakeRow(label)),
    stakeRow('a', {
      deposited_amount: '18446744073709551615',
      locked_amount: '9007199254740993',
      pending_withdrawal: '1',
    }),
  ])
})
afterAll(() => t.close())

test('a stake has exact amounts', async () => {
  const response = await t.app.inject(`/stakes/${keyOf('stake a')}`)
  expect(response.statusCode).toBe(200)
  expect(response.body).toBe(
    `{"pda":"${keyOf('stake a')}","agent_pda":"${keyOf('agent a')}","owner":"${keyOf('owner a')}",` +
      '"deposited_amount":18446744073709551615,"locked_amount":9007199254740993,"pending_withdrawal":1}',
  )
})

test('an unknown stake is 404', async () => {
  const response = await t.app.inject(`/stakes/${keyOf('stake nobody')}`)
  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({ error: 'Stake account not found', details: { code: 'STAKE_NOT_FOUND' } })
})

interface Page {
  total: number
  limit: number
  offset: number
  stakes: { pda: string }[]
}
const list = async (query: string): Promise<Page> => (await t.app.inject(`/stakes${query}`)).json()

test('the list is sorted by pda', async () => {
  const page = await list('')
  expect(page).toMatchObject({ total: 5, limit: 50, offset: 0 })
  expect(page.stakes.map(({ pda }) => pda)).toEqual(BY_PDA)
})

test.each([
  [`?owner=${keyOf('owner b')}`, [keyOf('stake b')]],
  [`?agent_pda=${keyOf('agent c')}`, [keyOf('stake c')]],
  [`?owner=${keyOf('owner b')}&agent_pda=${keyOf('agent b')}`, [keyOf('stake b')]],
  [`?owner=${keyOf('owner b')}&agent_pda=${keyOf('agent c')}`, []],
])('the list with %s', async (query, expected) => {
  const page = await list(query)
  expect(page.stakes.map(({ pda }) => pda)).toEqual(expected)
  expect(page.total).toBe(expected.length)
})

test('pages do not overlap, and a page beyond the end keeps the total', async () => {
  const first = await list('?limit=3')
  const second = await list('?limit=3&offset=3')
  expect([...first.stakes, ...second.stakes].map(({ pda }) => pda)).toEqual(BY_PDA)
  expect(await list('?offset=99')).toEqual({ total: 5, limit: 50, offset: 99, stakes: [] })
})
