import { beforeAll, expect, test } from 'vitest'
import { openSession } from '../../../src/db/session.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp } from '../../support/app.ts'
import { poolOf } from '../../support/blocked-reads.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { requestChallenge, signInWallet } from '../../support/sign-in.ts'
import { perFile } from '../../support/lifetime.ts'

const t = perFile(() => createTestApp({ rateLimits: { signIn: 60 }, registry: databaseReader }))
beforeAll(async () => {
  await insertAgents(t.kysely, [agentRow('One')])
})

test('many sign-ins of one wallet leave the other database connections to others', async () => {
  const wallet = signInWallet('many')
  const connections = (await poolOf(t.database)).options.max
  const signIns = await Promise.all(
    Array.from({ length: 2 * connections }, async () => wallet.signIn((await requestChallenge(t)).input)),
  )
  const holder = await openSession(t.database.orm)
  await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', [`sessions of ${wallet.address}`])
  const waiting = signIns.map((payload) => t.app.inject({ method: 'POST', url: '/auth/session', payload }))
  const agents = await t.app.inject('/agents')
  const other = signInWallet('other').signIn((await requestChallenge(t)).input)
  const ofOther = await t.app.inject({ method: 'POST', url: '/auth/session', payload: other })
  expect([agents.statusCode, ofOther.statusCode]).toEqual([200, 201])
  await holder.end()
  const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([201]))
})

test('sign-ins above the limit of a client do not use the database', async () => {
  const pool = await poolOf(t.database)
  let acquired = 0
  pool.on('acquire', () => (acquired += 1))
  const send = () =>
    t.app.inject({ method: 'POST', url: '/auth/session', payload: {}, remoteAddress: '127.0.0.7' })
  const statuses = (await Promise.all(Array.from({ length: 200 }, send))).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status !== 429).length).toBe(60)
  expect(acquired).toBe(60)
})
