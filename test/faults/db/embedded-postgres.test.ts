import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
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
    const code = `import(${JSON.stringify(MODULE)})
      .then((m) => m.startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, logger: { info() {} } }))
      .then(() => process.kill(process.pid, 'SIGKILL'))`
    const [, signal] = (await once(spawn(process.execPath, ['-e', code]), 'exit')) as [null, string]
    expect(signal).toBe('SIGKILL')
    const adopted = await start()
    expect(adopted.adopted).toBe(true)
    await adopted.stop()
    await expect(query(adopted, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
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
