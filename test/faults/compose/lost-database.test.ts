import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { isAlive } from '../../../src/platform/process/pid-lock.ts'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'

// With DATABASE_URL there is no embedded server.
describe.runIf('host' in inject('databaseServer'))('a gateway with the embedded PostgreSQL', () => {
  let gateway: GatewayProcess
  let baseUrl: string
  beforeEach(async () => {
    gateway ??= await createGatewayProcess({ SEED_AGENTS: '0' })
    baseUrl = (await gateway.start()).baseUrl
  })
  afterEach(() => gateway.stop())
  afterAll(() => gateway.remove())

  const serverPid = (): number =>
    Number(
      readFileSync(join(gateway.dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
    )
  const health = async (): Promise<unknown> => (await fetch(`${baseUrl}/health/detailed`)).json()
  const manyReads = (): Promise<number[]> =>
    Promise.all(
      Array.from({ length: 30 }, async (_, i) => (await fetch(`${baseUrl}/agents?limit=${i + 1}`)).status),
    )

  test('starts a killed server again, and serves as before', async () => {
    process.kill(serverPid(), 'SIGKILL')
    await expect.poll(() => gateway.output()).toContain('cannot be reached and is started again')
    await expect.poll(health).toMatchObject({ status: 'healthy', database: { connected: true } })
    expect(new Set(await manyReads())).toEqual(new Set([200]))
  })

  test('is not harmed by the server of a deleted folder', async () => {
    const old = serverPid()
    await gateway.kill()
    rmSync(gateway.dataDir, { recursive: true })
    baseUrl = (await gateway.start()).baseUrl
    // What PostgreSQL sends to itself when it notices that its folder is gone, within a minute.
    process.kill(old, 'SIGQUIT')
    await expect.poll(() => isAlive(old)).toBe(false)
    const client = new Client({
      host: join(gateway.dataDir, 'postgres', 'sockets', 'current'),
      user: 'postgres',
      database: 'gateway',
    })
    await client.connect()
    await client.end()
    expect(new Set(await manyReads())).toEqual(new Set([200]))
    expect(await health()).toMatchObject({ status: 'healthy' })
  })

  test('ends with the reason when its folder is deleted, and leaves no server', async () => {
    const pid = serverPid()
    rmSync(gateway.dataDir, { recursive: true })
    expect(await gateway.ended()).toBe(1)
    expect(gateway.output()).toMatch(
      /cluster was deleted or moved while the gateway used it: start the gateway again$/m,
    )
    expect(isAlive(pid)).toBe(false)
  })
})
