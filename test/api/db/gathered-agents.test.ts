import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'

const LABELS = Array.from({ length: 20 }, (_, i) => `agent number ${i}`)
const addressOf = (label: string): string => keyOf(`agent ${label}`)

// Connections take the method when they are made, so the spy comes first; it counts and lets through.
const statements = vi.spyOn(Client.prototype, 'query')
let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  await insertAgents(
    t.kysely,
    LABELS.map((label) => agentRow(label)),
  )
})
afterAll(async () => {
  await t.close()
  statements.mockRestore()
})
beforeEach(() => {
  statements.mockClear()
})

/** The agent's name, or what was thrown. */
const get = (pda: string): Promise<string> =>
  t.services.agents.get(pda).then(
    ({ name }) => name,
    (error: Error) => error.message,
  )

test('agents asked for at once are read by one statement, and each request gets its own', async () => {
  const asked = [...LABELS, 'nobody', ...LABELS.slice(0, 3)]
  const answers = await Promise.all([...asked.map((label) => get(addressOf(label))), get('no key')])
  expect(statements).toHaveBeenCalledTimes(1)
  expect(answers).toEqual([
    ...LABELS,
    'Agent not found',
    ...LABELS.slice(0, 3),
    'pda must be a base-58 public key of 32 bytes, got "no key"',
  ])
})

test('nothing is kept for a later request', async () => {
  const [label = ''] = LABELS
  expect(await get(addressOf(label))).toBe(label)
  await t.kysely.updateTable('agents').set({ name: 'Renamed' }).where('pda', '=', addressOf(label)).execute()
  expect(await get(addressOf(label))).toBe('Renamed')
})

test('a read that fails is told to all that share it, and the next one is made anew', async () => {
  statements.mockImplementationOnce(() => {
    throw new Error('lost')
  })
  const answers = await Promise.all(LABELS.slice(0, 3).map((label) => get(addressOf(label))))
  expect(answers).toEqual(['lost', 'lost', 'lost'])
  expect(await get(addressOf('agent number 5'))).toBe('agent number 5')
})

test('no more than a hundred are read by one statement', async () => {
  const asked = Array.from({ length: 150 }, (_, i) => addressOf(i < 20 ? (LABELS[i] ?? '') : `nobody ${i}`))
  const answers = await Promise.all(asked.map(get))
  expect(statements).toHaveBeenCalledTimes(2)
  expect(answers.slice(1, 20)).toEqual(LABELS.slice(1))
  expect(new Set(answers.slice(20))).toEqual(new Set(['Agent not found']))
})
