import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createRegistry, signerFromSecretKey, verifyWebhook } from '@agent-registry/client'
import { beforeAll, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { runCommand } from '../../support/cli.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { perFile } from '../../support/lifetime.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '3', WEBHOOK_DEV_MODE: 'true' }))
let url: string
let keyFile: string
let owner: string
let registered: Registered
beforeAll(async () => {
  url = gateway.runtime.baseUrl
  keyFile = join(gateway.dataDir, 'user.json')
  owner = (await runCommand(gateway.env, 'keygen', keyFile)).stdout.split(' ')[0]!
  registered = await register()
})

/** A user who has only the address of the gateway. */
const user = (...args: string[]) => runCommand({ DATA_DIR: temporaryFolder('user-') }, ...args, '--url', url)
const json = async <Result>(...args: string[]): Promise<Result> => {
  const { code, stdout, stderr } = await user('--json', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Result
}

interface Registered {
  pda: string
  status: string
  owner: string
}

async function register(): Promise<Registered> {
  const card = join(gateway.dataDir, 'card.json')
  writeFileSync(card, '{"name":"User"}')
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const text = `register --name User --category research --card-url https://user.example.org/card.json`
  const options = ['--key', keyFile, '--card', card, '--invite-code', inviteCode]
  const result = await json<Registered>(...text.split(' '), ...options)
  await createRegistry(url).agents.get(result.pda, { waitMs: 10_000 })
  return result
}

test('agents lists and filters, for people and for programs', async () => {
  const { stdout } = await user('agents', '--limit', '2')
  expect(stdout).toMatch(/Atlas Freight|Beacon Research|Cedar Ledger/)
  expect(stdout).toMatch(/^2 of \d+$/m)
  const found = await json<{ agents: { name: string }[] }>('agents', '--name', 'beacon reserch')
  expect(found.agents.map(({ name }) => name)).toEqual(['Beacon Research'])
  expect(await user('agents', '--tier', 'best')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('tier must be one of'),
  })
})

test('without --url, commands use the gateway that runs on this machine', async () => {
  expect((await runCommand(gateway.env, 'agents')).stdout).toContain('Atlas Freight')
  const { code, stderr } = await runCommand({ DATA_DIR: temporaryFolder('none-') }, 'agents')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('or give --url') })
  const unreachable = await runCommand({}, 'agents', '--url', 'http://127.0.0.1:9')
  expect(unreachable.stderr).toContain('The gateway cannot be reached')
})

test('register registers an agent that agent finds by its address and by its owner', async () => {
  const { pda, status, owner: wallet } = registered
  expect({ status, wallet }).toEqual({ status: 'confirmed', wallet: owner })
  for (const key of [pda, owner]) {
    const { agent } = await json<{ agent: object }>('agent', key)
    expect(agent).toMatchObject({ pda, owner, name: 'User' })
  }
  expect((await user('agent', pda)).stdout).toMatch(/^service_category +research$/m)
})

test('an error of the gateway has its code and status with --json', async () => {
  const nobody = '11111111111111111111111111111111'
  expect(await user('agent', nobody)).toMatchObject({ code: 1, stderr: 'Agent not found' })
  const { stderr } = await user('--json', 'agent', nobody)
  expect(JSON.parse(stderr)).toMatchObject({
    error: 'Agent not found',
    code: 'AGENT_NOT_FOUND',
    status: 404,
  })
})

test.each([
  ["unknown option '--stake'", 'agents', '--stake', '5'],
  ["unknown command 'agnt'\n(Did you mean agent?)", 'agnt'],
  ["required option '--key <file>' not specified", 'webhooks', 'trigger', 'x'],
  [
    "option '--limit <n>' argument '0' is invalid. It must be a whole number from 1 to 200.",
    'agents',
    '--limit',
    '0',
  ],
  [
    "option '--count <n>' argument 'x' is invalid. It must be a whole number from 1 to 1000000.",
    'events',
    'tail',
    '--count',
    'x',
  ],
])('wrong arguments are a JSON document with --json: %s', async (error, ...args) => {
  const { code, stdout, stderr } = await user('--json', ...args)
  expect({ code, stdout, ...(JSON.parse(stderr) as object) }).toEqual({ code: 1, stdout: '', error })
})

test('events tail continues after an event, and webhooks listen signs what it forwards', async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    received.push({ headers: request.headers, body })
    response.end()
  }
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const { pda } = registered
  await runCommand(gateway.env, 'localnet', 'airdrop', owner, '1')
  const wallet = await signerFromSecretKey(JSON.parse(readFileSync(keyFile, 'utf8')) as number[])
  const registry = createRegistry(url)
  const listening = user(
    'webhooks',
    'listen',
    '--forward-to',
    target,
    '--types',
    'agent.updated',
    '--count',
    '1',
  )
  // A bigint in the event.
  let capabilities = 0n
  const change = () =>
    registry.agents.update({ capabilities: (capabilities = (capabilities + 1n) % 64n) }, wallet)
  // The command sees only events after it has subscribed.
  const changes = setInterval(() => void change().catch(() => undefined), 500)
  const { stdout } = await listening
  clearInterval(changes)
  server.close()
  const [, secret = ''] = /^secret (\S+)$/m.exec(stdout) ?? []
  const [{ headers, body }] = received as [(typeof received)[number]]
  const event = await verifyWebhook(body, headers, secret)
  expect(event).toMatchObject({ type: 'agent.updated', pda })
  expect(body).toMatch(/"new":\d+\b/)
  expect(stdout).toContain(`agent.updated  ${event.id}  200`)

  await change()
  const tail = ['events', 'tail', '--after', event.id, '--agent', pda, '--count', '1']
  expect(await json<object>(...tail)).toMatchObject({ type: 'agent.updated', agentPda: pda })
  expect((await user(...tail)).stdout).toMatch(/agent\.updated .*"new":\d+\b/)
})

test('webhooks trigger sends a test event, and deliveries shows it', async () => {
  const wallet = await signerFromSecretKey(JSON.parse(readFileSync(keyFile, 'utf8')) as number[])
  const { id } = await createRegistry(url).webhooks.create(
    { url: 'http://127.0.0.1:9/hook', eventTypes: ['agent.registered'] },
    { wallet },
  )
  const delivery = await json<{ id: string }>('webhooks', 'trigger', id, '--key', keyFile)
  expect((await user('webhooks', 'deliveries', id, '--key', keyFile)).stdout).toContain(delivery.id)
})

test('--version prints the version', async () => {
  const { createProgram } = await import('../../../src/cli/program.ts')
  expect((await createProgram([])).version()).toBe(packageJson.version)
})
