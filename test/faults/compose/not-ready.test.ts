import { readdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { Keypair } from '@solana/web3.js'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../src/compose/gateway.ts'
import { lockDataDir } from '../../../src/compose/runtime-file.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { formatFatalError } from '../../../src/platform/process/operator-error.ts'
import { createTestDatabase, type TestDatabase, urlOf } from '../../support/database.ts'
import { createProxiedNode } from '../../support/fault-injecting-proxy.ts'
import { createRegistryWorld, programId } from '../../support/ledger/registry-world.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let database: TestDatabase | undefined
let gateway: Gateway | undefined
afterEach(async () => {
  await gateway?.stop()
  await database?.drop()
  gateway = database = undefined
})

interface LogLine {
  level: number
  msg: string
  err?: unknown
}

async function start(settings: Record<string, string>): Promise<LogLine[]> {
  database = await createTestDatabase()
  const lines: LogLine[] = []
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()) as LogLine)
      done()
    },
  })
  const env = {
    DATA_DIR: temporaryFolder('not-ready-'),
    DATABASE_URL: urlOf(database),
    PORT: '0',
    LOCALNET_PORT: '0',
    WEBHOOK_SECRETS_KEY: '07'.repeat(32),
    ...settings,
  }
  gateway = await startGateway({ ...readConfig(env), logger: pino({ level: 'info' }, log) })
  return lines
}
const failure = (settings: Record<string, string>) =>
  start(settings).then(
    () => 'started',
    (error: unknown) => formatFatalError(error),
  )
const messages = (lines: readonly LogLine[]) => lines.map((line) => line.msg)
const statusOf = async (path: string) => (await fetch(`${gateway?.baseUrl}${path}`)).status

test('with a dead node the log says what is missing, once and without a stack, until the node responds', async () => {
  const world = await createRegistryWorld()
  const node = await createProxiedNode(world.localnet)
  await node.http.cut()
  try {
    const lines = await start({ ...node.env, REGISTRY_PROGRAM_ID: programId })
    const notReady = /^the gateway is not ready: no ledger node responds; the registry has not been read/
    await expect.poll(async () => messages(lines).some((each) => notReady.test(each))).toBe(true)
    expect([await statusOf('/ready'), await statusOf('/agents'), await statusOf('/health')]).toEqual([
      503, 503, 200,
    ])
    await expect.poll(async () => messages(lines).includes('the indexer failed, restarting')).toBe(true)
    expect(messages(lines)).not.toContain('the gateway is ready')
    await node.http.restore()
    await expect.poll(async () => messages(lines).includes('the gateway is ready')).toBe(true)
    expect([await statusOf('/ready'), await statusOf('/agents')]).toEqual([200, 200])
    expect(messages(lines).filter((each) => notReady.test(each))).toHaveLength(1)
    expect(messages(lines).filter((each) => each === 'the indexer failed, restarting')).toHaveLength(1)
    expect(lines.filter((line) => line.err !== undefined)).toEqual([])
  } finally {
    await gateway?.stop()
    await node.close()
    await world.close()
  }
})

test('with a program id that does not exist, log, health and readiness say so', async () => {
  const world = await createRegistryWorld()
  const unknown = Keypair.generate().publicKey.toBase58()
  try {
    const lines = await start({ ...world.env, REGISTRY_PROGRAM_ID: unknown })
    const reason = `the registry program ${unknown} does not exist on the ledger`
    await expect.poll(async () => messages(lines).join()).toContain(`the gateway is not ready: ${reason}`)
    const health = (await (await fetch(`${gateway?.baseUrl}/health/detailed`)).json()) as object
    expect(health).toMatchObject({
      status: 'degraded',
      reasons: expect.arrayContaining([reason]) as string[],
    })
    expect(await statusOf('/ready')).toBe(503)
    expect(messages(lines)).not.toContain('the gateway is ready')
  } finally {
    await gateway?.stop()
    await world.close()
  }
})

test('a DATA_DIR or key file that cannot be used is one line without a stack', async () => {
  const file = join(temporaryFolder('not-ready-'), 'file')
  writeFileSync(file, '')
  expect(await failure({ DATA_DIR: join(file, 'data') })).toMatch(
    /^\S+ cannot be used \(mkdir: ENOTDIR\): check/,
  )
  await database?.drop()
  expect(await failure({ FEE_PAYER_KEYPAIR: join(file, 'key.json') })).toMatch(
    /^FEE_PAYER_KEYPAIR: \S+ cannot be read: ENOTDIR$/,
  )
})

/** Takes two ports, the second of which follows the first. */
async function takeAdjacentPorts() {
  const take = (port: number) =>
    new Promise<Server | undefined>((resolve) => {
      const server = createServer().listen(port, '127.0.0.1', () => resolve(server))
      server.once('error', () => resolve(undefined))
    })
  for (;;) {
    const first = (await take(0)) as Server
    const { port } = first.address() as AddressInfo
    const second = await take(port + 1)
    if (second)
      return [
        { server: first, port },
        { server: second, port: port + 1 },
      ] as const
    first.close()
  }
}

test('ports in use are reported together with their settings, before anything is started', async () => {
  const [first, second] = await takeAdjacentPorts()
  const DATA_DIR = temporaryFolder('not-ready-')
  const ports = { PORT: String(second.port), LOCALNET_PORT: String(first.port) }
  const message = await failure({ DATA_DIR, DATABASE_URL: '', ...ports })
  const inUse = (port: number) => `127.0.0.1:${port} is in use: stop the program that uses it, or set`
  const localnetPort = 'LOCALNET_PORT to a free port that is followed by another free one, or to 0 for any'
  expect(message.split('\n')).toEqual([
    `${inUse(second.port)} PORT to a free port, or to 0 for any`,
    `${inUse(first.port)} ${localnetPort}`,
    `${inUse(second.port)} ${localnetPort}`,
  ])
  expect(readdirSync(DATA_DIR)).toEqual([])
  first.server.close()
  second.server.close()
})

test('a second start on the same folder says what to do', async () => {
  const DATA_DIR = temporaryFolder('not-ready-')
  const release = lockDataDir(DATA_DIR)
  await expect(start({ DATA_DIR })).rejects.toThrow(
    `process ${process.pid} already uses ${DATA_DIR}: stop it, or set DATA_DIR to another folder`,
  )
  release()
})
