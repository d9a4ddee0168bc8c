import * as anchor from '@coral-xyz/anchor'
import * as anchor1 from '@anchor-lang/core'
import { Connection } from '@solana/web3.js'
import { beforeAll, expect, test } from 'vitest'
import { onchainIdlAccounts, registryIdl } from '@agent-registry/program'
import { keyOf } from '../../support/factories.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { perFile } from '../../support/lifetime.ts'

/** Not the address in `idl.json`. */
const PROGRAM_ID = keyOf('another program')

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '1', REGISTRY_PROGRAM_ID: PROGRAM_ID }))
let connection: Connection
beforeAll(async () => {
  connection = new Connection(gateway.runtime.rpcUrl, 'confirmed')
})

const get = (headers: Record<string, string> = {}) =>
  fetch(`${gateway.runtime.baseUrl}/idl.json`, { headers })

test('GET /idl.json returns the IDL with the address of the configured program', async () => {
  const response = await get({ origin: 'https://app.example' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toEqual({ ...registryIdl, address: PROGRAM_ID })
})

test('GET /idl.json returns 304 for the current entity tag, and refuses parameters', async () => {
  const etag = (await get()).headers.get('etag')!
  const cached = await get({ 'if-none-match': `"other", ${etag}` })
  expect([cached.status, await cached.text(), cached.headers.get('etag')]).toEqual([304, '', etag])
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  expect((await fetch(`${gateway.runtime.baseUrl}/idl.json?x=1`)).status).toBe(400)
})

test('Program.fetchIdl of Anchor 0.32 finds the IDL on the localnet, and decodes the config', async () => {
  const idl = await anchor.Program.fetchIdl(PROGRAM_ID, { connection })
  expect(idl).toEqual(await (await get()).json())
  const program = new anchor.Program(idl!, { connection })
  const [config] = anchor.web3.PublicKey.findProgramAddressSync(
    [Buffer.from('config')],
    new anchor.web3.PublicKey(PROGRAM_ID),
  )
  const accounts = program.account as unknown as Record<
    string,
    { fetch(address: unknown): Promise<{ paused: boolean }> }
  >
  expect(await accounts['registryConfig']!.fetch(config)).toMatchObject({ paused: false })
})

test('Program.fetchIdl of Anchor 1.2 finds the IDL on the localnet', async () => {
  const idl = await anchor1.Program.fetchIdl(PROGRAM_ID, { connection })
  expect(idl).toEqual(await (await get()).json())
  expect(new anchor1.Program(idl!, { connection }).programId.toBase58()).toBe(PROGRAM_ID)
})

test('the accounts of the IDL do not belong to the program, so the gateway does not index them', async () => {
  for (const { owner } of onchainIdlAccounts(PROGRAM_ID)) expect(owner).not.toBe(PROGRAM_ID)
  const health = await (await fetch(`${gateway.runtime.baseUrl}/health/detailed`)).json()
  expect(health).toMatchObject({ status: 'healthy', indexer: { deadLetters: 0 } })
})
