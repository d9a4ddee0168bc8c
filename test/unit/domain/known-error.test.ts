import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { DomainError } from '../../../src/domain/errors.ts'
import { knownError } from '../../../src/domain/known-error.ts'

test.each([
  ['no server at the port', { host: '127.0.0.1', port: 1 }],
  ['no server at the socket', { host: '/nowhere' }],
])('an unavailable database: %s', async (_, connection) => {
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool: new Pool(connection) }) })
  const thrown: unknown = await sql`select 1`.execute(kysely).catch((error: unknown) => error)
  expect(knownError(thrown)).toMatchObject({ code: 'DATABASE_UNAVAILABLE', status: 503, cause: thrown })
  await kysely.destroy()
})

test.each([
  ['57P01', true],
  ['57014', true],
  ['53300', true],
  ['08006', true],
  ['ECONNRESET', true],
  ['EPIPE', true],
  ['42P01', false],
  ['23505', false],
])('code %s is an outage: %s', (code, outage) => {
  expect(knownError(Object.assign(new Error('x'), { code })) !== null).toBe(outage)
})

test('an error of the service is returned as it is, and an internal error is not known', () => {
  const own = new DomainError('AGENT_NOT_FOUND')
  expect(knownError(own)).toBe(own)
  expect([new TypeError('x'), 'text', undefined].map(knownError)).toEqual([null, null, null])
})
