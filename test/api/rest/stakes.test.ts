import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { insertStakes, keyOf, stakeRow } from '../../support/factories.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const LABELS = ['a', 'b', 'c', 'd', 'e']
const BY_PDA = LABELS.map((label) => keyOf(`stake ${label}`)).sort()

const t = useTestApp()
beforeAll(async () => {
  await insertStakes(t.kysely, [
    ...LABELS.slice(1),
    stakeRow('a', {
      deposited_amount: '18446744073709551615',
      locked_amount: '9007199254740993',
      pending_withdrawal: '1',
    }),
  ])
})

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
  expect(responseOf(response)).toEqual(refused(404, 'STAKE_NOT_FOUND', 'Stake account not found'))
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
