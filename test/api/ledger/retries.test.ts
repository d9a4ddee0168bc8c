import { Writable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { EVENT_TAG } from '@agent-registry/program'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { createAppOfTest, type TestApp } from '../../support/app.ts'
import { registration, report } from '../../support/ledger/samples.ts'
import { PROGRAM_ID } from '../../support/ledger/scripted-ledger.ts'
import { useScriptedWorld } from '../../support/ledger/scripted-world.ts'

const TOKEN = 'operator-token-of-at-least-32-characters'
const world = useScriptedWorld()
const { ledger, start, idle, letters } = world
/** Added to the clock of the indexer. */
let ahead = 0
/** The transaction that the node lost, and how often and when it was asked for that. */
let lost: string
let fetches = 0
let fetchedAt = 0
/** The transaction of which the node tells no status, and how often it was asked for that. */
let silent: string | null = null
let refusals = 0

function countingRpc(): LedgerRpc {
  const rpc = ledger.rpc()
  return {
    ...rpc,
    settle: async (calls) => {
      if (calls.some(({ params }) => params?.[0] === lost)) {
        fetches += 1
        fetchedAt = Date.now()
      }
      return rpc.settle(calls)
    },
    batch: async (calls) => {
      if (silent === null || !JSON.stringify(calls).includes(silent)) return rpc.batch(calls)
      refusals += 1
      throw new Error('down')
    },
  }
}

const begin = () => start({ rpc: countingRpc(), clock: { now: () => Date.now() + ahead } })
/**
 * A minute of the indexer takes a second, but not while it asks again and again for the lost
 * transaction: the next check would be late by nine times as much.
 */
const passTime = (): void => {
  if (Date.now() - fetchedAt > 600) ahead += 1_200
}

let app: TestApp['app']
const lines: string[] = []
const log = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})

/** One transaction that the node lost, one of an unknown version, and one with an unknown event. */
async function setUp(): Promise<void> {
  ahead = 0
  silent = null
  lines.length = 0
  ledger.send(registration('a'))
  ledger.advance()
  lost = ledger.send(report('a', 250, 251))
  ledger.missing.add(lost)
  ledger.advance()
  ledger.version = 2
  ledger.send(report('a', 251, 252))
  ledger.advance()
  ledger.version = 1
  ledger.send({ inner: [Buffer.concat([EVENT_TAG, Buffer.alloc(16, 9)])] })
  ledger.advance(40)
  begin()
  await idle()
  await expect.poll(letters).toEqual(['missing_transaction', 'unknown_event', 'unreadable_transaction'])
  const { database } = world
  const t = await createAppOfTest({
    database,
    tablesFilled: false,
    program: PROGRAM_ID as never,
    operatorToken: TOKEN,
    log,
  })
  app = t.app
}
beforeEach(setUp)

interface Letter {
  readonly id: string
  readonly kind: string
  readonly signature: string
  readonly canRetry: boolean
  readonly retryRequestedAt: string | null
}
const LETTERS = 'deadLetters { id kind signature canRetry retryRequestedAt }'
const RETRY = `mutation ($id: String!) { retryDeadLetter(id: $id) { ${LETTERS} } }`

async function ask(query: string, variables: object = {}) {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const payload = { query, variables }
  return (await app.inject({ method: 'POST', url: '/graphql', headers, payload })).json()
}
async function listed(): Promise<Record<string, Letter>> {
  const { data } = await ask(`{ operator { ${LETTERS} } }`)
  return Object.fromEntries(data.operator.deadLetters.map((letter: Letter) => [letter.kind, letter]))
}
const lettersLater = () => {
  passTime()
  return letters()
}
const events = async () => (await world.dump()).agent_history?.length

test('an operator lets the indexer read what nodes serve now, without a rebuild', async () => {
  const before = await listed()
  expect(Object.values(before).map(({ kind, canRetry }) => [kind, canRetry])).toEqual(
    expect.arrayContaining([
      ['MISSING_TRANSACTION', true],
      ['UNREADABLE_TRANSACTION', true],
      ['UNKNOWN_EVENT', false],
    ]),
  )
  ledger.missing.clear()
  for (const entry of ledger.entries) entry.version = 1
  for (const kind of ['MISSING_TRANSACTION', 'UNREADABLE_TRANSACTION']) {
    const { data } = await ask(RETRY, { id: before[kind]!.id })
    const { deadLetters } = data.retryDeadLetter
    expect(deadLetters.find((each: Letter) => each.kind === kind).retryRequestedAt).not.toBeNull()
  }
  await expect.poll(lettersLater).toEqual(['unknown_event'])
  expect(await events()).toBe(2)
  expect((await world.audited()).differences).toEqual([])
  expect(lines.filter((line) => line.includes('requested a retry'))).toHaveLength(2)
  const { errors } = await ask(RETRY, { id: before.MISSING_TRANSACTION!.id })
  expect(errors[0].extensions.code).toBe('DEAD_LETTER_NOT_FOUND')
})

test('a thousand requests cost the node no more than a few', async () => {
  const { MISSING_TRANSACTION: missing } = await listed()
  const [startedAt, before] = [Date.now(), fetches]
  for (let i = 0; i < 20; i += 1)
    await Promise.all(Array.from({ length: 50 }, () => ask(RETRY, { id: missing!.id })))
  const marked = async (): Promise<string | null> => {
    passTime()
    return (await listed()).MISSING_TRANSACTION!.retryRequestedAt
  }
  // The retry fails, so the record stays, and the operator can ask again.
  await expect.poll(marked).toBeNull()
  // Each retry asks six times within two seconds.
  const retries = (fetches - before) / 6
  expect(retries).toBeGreaterThan(0)
  expect(retries).toBeLessThanOrEqual(2 + (Date.now() + ahead - startedAt) / 10_000)
})

test('a request stays while no node responds', async () => {
  const { UNREADABLE_TRANSACTION: letter } = await listed()
  ;[silent, refusals] = [letter!.signature, 0]
  await ask(RETRY, { id: letter!.id })
  const tried = (): number => {
    passTime()
    return refusals
  }
  await expect.poll(tried).toBeGreaterThan(1)
  expect((await listed()).UNREADABLE_TRANSACTION).toMatchObject({ retryRequestedAt: expect.any(String) })
  // Not before: the first retry after the start may be reading it.
  for (const entry of ledger.entries) entry.version = 1
  silent = null
  await expect.poll(lettersLater).toEqual(['missing_transaction', 'unknown_event'])
})

test('what a retry cannot read is not requested', async () => {
  const { UNKNOWN_EVENT: unknown } = await listed()
  await world.db
    .insertInto('dead_letters')
    .values({
      id: 'gap',
      kind: 'missing_history',
      signature: 'a',
      pda: null,
      slot: 1,
      reason: '',
      data: null,
    })
    .execute()
  for (const id of [unknown!.id, 'gap', '%', 'x'.repeat(256)]) {
    const { errors } = await ask(RETRY, { id })
    expect([id, errors[0].extensions.code]).toEqual([id, 'DEAD_LETTER_NOT_FOUND'])
  }
  for (const id of ['', '\0', 'x'.repeat(257)]) {
    const { errors } = await ask(RETRY, { id })
    expect(errors[0].extensions.code).toBe('INVALID_TEXT')
  }
  expect(Object.values(await listed()).every(({ retryRequestedAt }) => retryRequestedAt === null)).toBe(true)
})
