import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
import { createDatabaseProbe } from '../../../src/db/session.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { isAlive } from '../../../src/platform/process/pid-lock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MODULE = fileURLToPath(new URL('../../../src/db/embedded/postgres.ts', import.meta.url))
const silent = { info: () => undefined }

let dataDir: string
let running: EmbeddedPostgres | undefined
const start = async (): Promise<EmbeddedPostgres> => {
  running = await startEmbeddedPostgres({ dataDir, logger: silent })
  return running
}

beforeEach(() => {
  dataDir = temporaryFolder('embedded-')
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  rmSync(dataDir, { recursive: true, force: true })
})

async function query(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(server.connection)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function startAndDie(): Promise<void> {
  const code = `import(${JSON.stringify(MODULE)})
    .then((m) => m.startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, logger: { info() {} } }))
    .then(() => process.kill(process.pid, 'SIGKILL'))`
  const [, signal] = (await once(spawn(process.execPath, ['-e', code]), 'exit')) as [null, string]
  expect(signal).toBe('SIGKILL')
}

const serverPid = (): number =>
  Number(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])

describe('the embedded PostgreSQL', () => {
  test('keeps its data after a stop, sorts by bytes and knows the letters of every script', async () => {
    const first = await start()
    await query(first, "create table kept as select 'É' as name")
    await first.stop()
    const again = await start()
    expect(again.adopted).toBe(false)
    expect(await query(again, "select lower(name) as name, 'B' < 'a' as bytes from kept")).toEqual([
      { name: 'é', bytes: true },
    ])
    expect(await query(again, 'show listen_addresses')).toEqual([{ listen_addresses: '' }])
  })

  test('adopts the server that a killed gateway left, and stops it', async () => {
    await startAndDie()
    const adopted = await start()
    expect(adopted.adopted).toBe(true)
    await adopted.stop()
    await expect(query(adopted, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
  })

  test('of a deleted folder does not take the socket of the next start with it', async () => {
    await startAndDie()
    const old = serverPid()
    rmSync(join(dataDir, 'postgres'), { recursive: true })
    const server = await start()
    expect(server.adopted).toBe(false)
    // What PostgreSQL sends to itself when it notices that its folder is gone, within a minute.
    process.kill(old, 'SIGQUIT')
    await expect.poll(() => isAlive(old)).toBe(false)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('is started again at the same address, after its death or without its socket', async () => {
    const server = await start()
    await query(server, 'create table kept as select 1 as one')
    process.kill(serverPid(), 'SIGKILL')
    await expect.poll(() => server.isReachable()).toBe(false)
    await server.restart()
    expect(await query(server, 'select * from kept')).toEqual([{ one: 1 }])
    rmSync(join(server.connection.host, '.s.PGSQL.5432'))
    expect(await server.isReachable()).toBe(false)
    await server.restart()
    expect(await query(server, 'select * from kept')).toEqual([{ one: 1 }])
    await server.stop()
    expect(readdirSync(join(dataDir, 'postgres', 'sockets'))).toEqual(['current'])
  })

  test('leaves no folder of a socket after a start that failed', async () => {
    const failing = startEmbeddedPostgres({ dataDir, logger: silent, settings: ['max_connections=none'] })
    await expect(failing).rejects.toThrow(/ended at start/)
    expect(readdirSync(join(dataDir, 'postgres', 'sockets'))).toEqual([])
  })

  test('is not healthy without its socket, though open connections still work', async () => {
    const server = await start()
    const orm = await openOrm(server.connection)
    try {
      const answers = createDatabaseProbe(orm.em)
      expect(await answers()).toBe(true)
      rmSync(join(server.connection.host, '.s.PGSQL.5432'))
      await expect.poll(answers).toBe(false)
      expect(await orm.em.getConnection().execute('select 1 as one')).toEqual([{ one: 1 }])
      await server.restart()
      await expect.poll(answers).toBe(true)
    } finally {
      await orm.close()
    }
  })

  test('is not started again without its data', async () => {
    const server = await start()
    const pid = serverPid()
    rmSync(join(dataDir, 'postgres'), { recursive: true })
    expect(await server.isReachable()).toBe(false)
    await expect(server.restart()).rejects.toThrow(
      /cluster was deleted or moved .*: start the gateway again$/,
    )
    expect(isAlive(pid)).toBe(false)
  })

  test('removes the socket folders of killed starts, and fits into long paths', async () => {
    dataDir = join(dataDir, 'ü'.repeat(50))
    await startAndDie()
    const pid = serverPid()
    process.kill(pid, 'SIGINT')
    await expect.poll(() => isAlive(pid)).toBe(false)
    const server = await start()
    const { host } = server.connection
    expect(host).toMatch(/argw-[0-9a-f]{12}\/current$/)
    expect(readdirSync(dirname(host)).toSorted()).toEqual([basename(readlinkSync(host)), 'current'])
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    rmSync(dirname(host), { recursive: true })
  })

  test('waits for a server that still stops', async () => {
    const first = await start()
    await query(
      first,
      'create table large as select repeat(md5(i::text), 30) from generate_series(1, 50000) as i',
    )
    // The stop waits for this session, so that it can be seen.
    const session = new Client(first.connection)
    await session.connect()
    const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
    const [pid] = readFileSync(pidFile, 'utf8').split('\n')
    process.kill(Number(pid), 'SIGTERM')
    await expect.poll(() => readFileSync(pidFile, 'utf8')).toContain('stopping')
    const starting = start()
    await session.end()
    const again = await starting
    expect(again.adopted).toBe(false)
    expect(await query(again, 'select count(*)::int as rows from large')).toEqual([{ rows: 50_000 }])
    const log = readFileSync(join(dataDir, 'postgres', 'cluster.log'), 'utf8')
    expect(log).not.toContain('not properly shut down')
  })

  test('ends a start that is given up, with its server', async () => {
    const stopping = new AbortController()
    const starting = startEmbeddedPostgres({ dataDir, logger: silent, signal: stopping.signal })
    const clusterDir = join(dataDir, 'postgres', 'cluster')
    await expect.poll(() => existsSync(clusterDir), { interval: 1 }).toBe(true)
    stopping.abort()
    await expect(starting).rejects.toThrow('aborted')
    expect(existsSync(join(clusterDir, 'postmaster.pid'))).toBe(false)
  })

  test('deletes an incomplete cluster, and refuses one of another version', async () => {
    mkdirSync(join(dataDir, 'postgres', 'cluster.unfinished', 'base'), { recursive: true })
    if (process.getuid?.() === 0) chmodSync(join(dataDir, 'postgres'), 0o755)
    const server = await start()
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    writeFileSync(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '17\n')
    await expect(start()).rejects.toThrow(/belongs to PostgreSQL 17, but this is 18/)
  })

  test.runIf(process.getuid?.() === 0)('works for root in a folder that others cannot enter', async () => {
    chmodSync(dataDir, 0o700)
    const server = await start()
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    const home = readFileSync(join(dataDir, 'postgres.location'), 'utf8').trim()
    expect(readFileSync(join(home, 'cluster', 'PG_VERSION'), 'utf8')).toBe('18\n')
    rmSync(home, { recursive: true })
  })
})
