import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeId } from '../../schema/node.ts'
import { databaseReader } from '../../src/registry/registry.ts'
import { createTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { keyOf } from '../support/factories.ts'
import { perFile } from '../support/lifetime.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import * as fc from '../support/property.ts'
import { randomQueries } from '../support/random-query.ts'
import { compareMany, createFilledWorld, writes } from '../support/registry-world.ts'

const READS = 20_000
const RUNS = 25
const QUERIES = 1_000

// A server with a recovery.signal must know where an archive is. There is none.
const settings = ['fsync=off', 'restore_command=false']
const postgres = perFile(() => startOwnPostgres({ settings, inMemory: true }))
const world = perFile(() => createFilledWorld(postgres))
const appWith = (registry: NonNullable<TestAppOptions['registry']>) =>
  createTestApp({
    ledger: { call: () => Promise.reject(new Error('no test uses the ledger')) },
    database: { connection: postgres.connection, orm: postgres.orm, drop: async () => undefined },
    registry,
  })
const memory = perFile(() => appWith(world.registry))
const database = perFile(() => appWith(databaseReader))

const clusterDir = (): string => join(postgres.dataDir, 'postgres', 'cluster')

const SERVER_CHANGES = {
  restart: () => postgres.restart(),
  crash: () => {
    process.kill(Number.parseInt(readFileSync(join(clusterDir(), 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
    return postgres.restart()
  },
  /**
   * Like a standby that has not received the last commits: an earlier copy of the files, on another
   * timeline. The embedded PostgreSQL has no pg_basebackup.
   */
  promote: async () => {
    const [cluster, earlier] = [clusterDir(), `${clusterDir()}.earlier`]
    await postgres.stop()
    if (existsSync(earlier)) {
      rmSync(cluster, { recursive: true })
      renameSync(earlier, cluster)
    }
    // With its owner.
    execFileSync('cp', ['-a', cluster, earlier])
    writeFileSync(join(cluster, 'recovery.signal'), '')
    await postgres.restart()
  },
}

test('20,000 reads from memory equal those from PostgreSQL, also when it restarts, crashes or fails over', async () => {
  const changes = Object.values(SERVER_CHANGES)
  for (let round = 0; world.counts.memory < READS; round += 1) {
    await changes[round % changes.length]!()
    await eventually(() => world.compare({ kind: 'stats' }))
    // While it loads, then from memory.
    await compareMany(world, RUNS)
    await eventually(() => expect(world.registry.status().ready).toBe(true))
    await compareMany(world, RUNS)
  }
  expect(world.counts.memory / world.counts.all).toBeGreaterThan(0.6)
})

/** Of Query. */
const FIELDS =
  'agent agentByOwner agentSuggestions agents agentsPage did node nodes registryStats stake stakes stakesPage'.split(
    ' ',
  )
/** Arguments by type and by name. */
const VALUES = {
  Pubkey: ['agent agent 1', 'agent agent 2', 'owner 1', 'stake agent 3', 'nobody'].map(keyOf),
  Int: [1, 3, 10, 50, 0],
  minReputation: [0, 250],
  maxReputation: [250, 1000],
  String: ['agent', 'x', ''],
  Boolean: [true, false],
  ID: [nodeId('Agent', keyOf('agent agent 1')), nodeId('Stake', keyOf('stake agent 3')), 'x'],
  U64: ['5', '0'],
  did: [`did:sol:${keyOf('owner 1')}`, `did:sol:${keyOf('nobody')}`],
  name: ['Wether', 'a1b', 'Почта'],
  prefix: ['we', 'a', 'I'],
}

test('queries with nested fields have the same response from memory and from PostgreSQL after each write', async () => {
  const ask = async ({ app }: TestApp, payload: object) => {
    const { body } = await app.inject({ method: 'POST', url: '/graphql', payload })
    const { errors, data } = JSON.parse(body) as { errors?: object; data?: object }
    // Which errors are reported, and in which order, depends on what fails first.
    return errors === undefined ? body : { data }
  }
  let complete = 0
  await fc.assert(
    fc.asyncProperty(writes, randomQueries(FIELDS, VALUES), async (write, query) => {
      await world.write(write)
      const expected = await ask(database, query)
      expect(await ask(memory, query)).toEqual(expected)
      complete += Number(typeof expected === 'string')
    }),
    { numRuns: QUERIES, endOnFailure: true },
  )
  expect(complete).toBeGreaterThan(QUERIES / 5)
})
