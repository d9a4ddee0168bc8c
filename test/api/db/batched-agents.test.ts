import { beforeAll, expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { useTestApp } from '../../support/app.ts'
import { insertAgents, keyOf } from '../../support/factories.ts'
import { recordStatements } from '../../support/statements.ts'

const LABELS = Array.from({ length: 20 }, (_, i) => `agent number ${i}`)
const addressOf = (label: string): string => keyOf(`agent ${label}`)

const statements = recordStatements()
const t = useTestApp({ registry: databaseReader })
beforeAll(() => insertAgents(t.kysely, LABELS))

/** The agent's name, or the message of the error. */
const get = (pda: string): Promise<string> =>
  t.services.agents.get(pda).then(
    ({ name }) => name,
    (error: Error) => error.message,
  )

test('agents that are requested at once are read in one statement, and each request gets its own', async () => {
  const requested = [...LABELS, 'nobody', ...LABELS.slice(0, 3)]
  const results = await Promise.all([...requested.map((label) => get(addressOf(label))), get('no key')])
  expect(statements).toHaveBeenCalledTimes(1)
  expect(results).toEqual([
    ...LABELS,
    'Agent not found',
    ...LABELS.slice(0, 3),
    'pda must be a base-58 public key of 32 bytes, got "no key"',
  ])
})

test('no agent is cached for a later request', async () => {
  const [label = ''] = LABELS
  expect(await get(addressOf(label))).toBe(label)
  await t.kysely.updateTable('agents').set({ name: 'Renamed' }).where('pda', '=', addressOf(label)).execute()
  expect(await get(addressOf(label))).toBe('Renamed')
})

test('a failed read rejects every request of its batch, and the next request reads again', async () => {
  statements.mockImplementationOnce(() => {
    throw new Error('lost')
  })
  const results = await Promise.all(LABELS.slice(0, 3).map((label) => get(addressOf(label))))
  expect(results).toEqual(['lost', 'lost', 'lost'])
  expect(await get(addressOf('agent number 5'))).toBe('agent number 5')
})

test('a statement reads at most a hundred agents', async () => {
  const requested = Array.from({ length: 150 }, (_, i) =>
    addressOf(i < 20 ? (LABELS[i] ?? '') : `nobody ${i}`),
  )
  const results = await Promise.all(requested.map(get))
  expect(statements).toHaveBeenCalledTimes(2)
  expect(results.slice(1, 20)).toEqual(LABELS.slice(1))
  expect(new Set(results.slice(20))).toEqual(new Set(['Agent not found']))
})
