import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { Connection, Keypair } from '@solana/web3.js'
import type { Pubkey } from '@agent-registry/solana'
import { beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../../src/compose/runtime-file.ts'
import {
  addresses,
  keyOf,
  type Prepared,
  registration,
  toJson,
} from '../../support/transactions/relay-world.ts'
import { registrationOf } from '../../support/transactions/parties.ts'
import { runCommand } from '../../support/cli.ts'
import { urlOf, useTestDatabase } from '../../support/database.ts'
import { createGatewayProcess } from '../../support/gateway-process.ts'
import { eventually } from '../../support/eventually.ts'
import { perFile } from '../../support/lifetime.ts'

const database = useTestDatabase()
const gateway = perFile(() => createGatewayProcess({ SEED_AGENTS: '0', DATABASE_URL: urlOf(database) }))
let runtime: Runtime
beforeAll(async () => {
  runtime = await gateway.start()
})

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json' }
  const url = `${runtime.baseUrl}${path}`
  return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Body
}

test('a registration signed with tweetnacl is confirmed, and the agent is listed', async () => {
  const owner = Keypair.generate()
  const connection = new Connection(runtime.rpcUrl, 'confirmed')
  await connection.requestAirdrop(owner.publicKey, 1e9)
  await eventually(async () => expect(await connection.getBalance(owner.publicKey)).toBe(1e9))

  const { id, serializedTx } = await post<Prepared>('/relay/prepare', {
    instructions: [toJson(registration(owner, 'By relay'))],
    signerPubkeys: [keyOf(owner)],
  })
  const bytes = new Uint8Array(Buffer.from(serializedTx, 'base64'))
  bytes.set(nacl.sign.detached(bytes.subarray(65), owner.secretKey), 1)
  expect(await post('/relay/submit', { id, signedTx: Buffer.from(bytes).toString('base64') })).toMatchObject({
    id,
    status: 'confirmed',
    signature: bs58.encode(bytes.subarray(1, 65)),
    error: null,
  })
  const agent = async (): Promise<unknown> =>
    (await fetch(`${runtime.baseUrl}/agents/${addresses.agent(keyOf(owner))}`)).json()
  await eventually(async () => expect(await agent()).toMatchObject({ name: 'By relay', owner: keyOf(owner) }))
})

async function get<Body>(path: string): Promise<Body> {
  return (await (await fetch(`${runtime.baseUrl}${path}`)).json()) as Body
}
async function register(owner: Keypair, inviteCode: string) {
  const { feePayer } = await get<{ feePayer: { pubkey: Pubkey } }>('/health/detailed')
  const instruction = registrationOf(keyOf(owner), feePayer.pubkey)
  const body = { instructions: [toJson(instruction)], signerPubkey: keyOf(owner), inviteCode }
  return post<{ id: string; serializedTx: string; error?: string }>('/sponsor/register', body)
}

test('after its first start it sponsors the registration of a wallet without lamports', async () => {
  expect(await get('/info')).toMatchObject({ feeSponsorshipEnabled: true })
  expect(await get('/health/detailed')).toMatchObject({ feePayer: { enabled: true } })
  expect(statSync(join(gateway.dataDir, 'invite-code')).mode & 0o777).toBe(0o600)
  const localnetCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const owner = Keypair.generate()
  const key = keyOf(owner)
  expect(await get(`/sponsor/eligibility?wallet=${key}&code=${localnetCode}`)).toMatchObject({
    eligible: true,
  })
  const { id, serializedTx } = await register(owner, localnetCode)
  const bytes = new Uint8Array(Buffer.from(serializedTx, 'base64'))
  bytes.set(nacl.sign.detached(bytes.subarray(129), owner.secretKey), 65)
  const signedTx = Buffer.from(bytes).toString('base64')
  const submit = { id, signedTx, signerPubkey: key, inviteCode: localnetCode }
  expect(await post('/sponsor/register/submit', submit)).toMatchObject({
    status: 'confirmed',
    sponsored: true,
  })
  await eventually(async () =>
    expect(await get(`/agents/${addresses.agent(key)}`)).toMatchObject({
      name: 'Sponsored',
      owner: key,
    }),
  )
})

test('the command line creates, lists and revokes invite codes', async () => {
  const created = await runCommand(
    gateway.env,
    '--json',
    'invite',
    'create',
    '--uses',
    '2',
    '--expires',
    '2099-01-01T00:00:00Z',
  )
  const { code, id } = JSON.parse(created.stdout) as { code: string; id: string }
  // A preparation takes no use.
  expect(await register(Keypair.generate(), code)).toHaveProperty('id')
  const listed = JSON.parse((await runCommand(gateway.env, 'invite', 'list', '--json')).stdout) as {
    codes: object[]
  }
  expect(listed.codes).toHaveLength(2)
  expect(listed.codes).toContainEqual(
    expect.objectContaining({
      id,
      maxUses: 2,
      uses: 0,
      expiresAt: '2099-01-01T00:00:00.000Z',
      revokedAt: null,
    }),
  )
  expect(JSON.stringify(listed)).not.toContain(code)
  expect(await runCommand(gateway.env, 'invite', 'revoke', id)).toMatchObject({
    code: 0,
    stdout: 'revoked\n',
  })
  expect(await register(Keypair.generate(), code)).toEqual({
    error: 'The invite code is unknown, expired, revoked or used up',
    details: { code: 'INVITE_CODE_INVALID' },
  })
  expect((await runCommand(gateway.env, 'invite', 'create', '--uses', '0')).stderr).toMatch(
    /--uses must be a whole number/,
  )
})

test.each([['grafana-dashboard.json'], ['alerts.yaml']])(
  'ops/%s names only metrics that the gateway has',
  async (file) => {
    const metrics = await (await fetch(`${runtime.baseUrl}/metrics`)).text()
    const known = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''))
    const text = readFileSync(new URL(`../../../ops/${file}`, import.meta.url), 'utf8')
    const named = new Set(text.match(/\b(gateway|process|nodejs)_[a-z0-9_]+/g))
    expect(named.size).toBeGreaterThan(8)
    const families = Array.from(named, (name) => name.replace(/_seconds_(bucket|count)$/, '_seconds'))
    expect(families.filter((name) => !known.has(name))).toEqual([])
  },
)
