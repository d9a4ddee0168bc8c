import { once } from 'node:events'
import { readFileSync } from 'node:fs'
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
let pda: string
beforeAll(async () => {
  url = gateway.runtime.baseUrl
  keyFile = join(gateway.dataDir, 'user.json')
  owner = (await runCommand(gateway.env, 'keygen', keyFile)).stdout.split(' ')[0]!
  pda = await register()
})

/** A user who has only the address of the gateway. */
const user = (...args: string[]) => runCommand({ DATA_DIR: temporaryFolder('user-') }, ...args, '--url', url)

async function register(): Promise<string> {
  const wallet = await signerFromSecretKey(JSON.parse(readFileSync(keyFile, 'utf8')) as number[])
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const card = { card: '{"name":"User"}', cardUrl: 'https://user.example.org/card.json' }
  const agent = { name: 'User', category: 'research', ...card, inviteCode } as const
  const registry = createRegistry(url)
  const registered = await registry.agents.register(agent, wallet)
  await registry.agents.get(registered.pda, { waitMs: 10_000 })
  return registered.pda
}

const LISTEN = ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/hook']

test('without --url, the command uses the gateway that runs on this machine', async () => {
  const wrong = await runCommand(gateway.env, ...LISTEN, '--types', 'agent.gone')
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('AGENT_GONE') })
  const { code, stderr } = await runCommand({ DATA_DIR: temporaryFolder('none-') }, ...LISTEN)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('or give --url') })
})

test('webhooks listen says what is wrong with a URL without a gateway, and does not wait', async () => {
  const { code, stdout, stderr } = await runCommand({}, ...LISTEN, '--url', 'http://127.0.0.1:9')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('The gateway cannot be reached')
  const page = createServer((_request, response) => response.end('<p>Welcome</p>')).listen(0, '127.0.0.1')
  await once(page, 'listening')
  const { port } = page.address() as AddressInfo
  const other = await runCommand({}, ...LISTEN, '--url', `http://127.0.0.1:${port}`)
  page.close()
  expect([other.code, other.stdout]).toEqual([1, ''])
})

test.each([
  ["unknown option '--stake'", 'demo', '--stake', '5'],
  ["unknown command 'demi'\n(Did you mean demo?)", 'demi'],
  ["required option '--forward-to <url>' not specified", 'webhooks', 'listen'],
  [
    "option '--count <n>' argument 'x' is invalid. It must be a whole number from 1 to 1000000.",
    ...LISTEN,
    '--count',
    'x',
  ],
])('wrong arguments are a JSON document with --json: %s', async (error, ...args) => {
  const { code, stdout, stderr } = await runCommand({}, '--json', ...args)
  expect({ code, stdout, ...(JSON.parse(stderr) as object) }).toEqual({ code: 1, stdout: '', error })
})

test('webhooks listen signs what it forwards', async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    received.push({ headers: request.headers, body })
    response.end()
  }
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
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
  // The command sees only events after it has subscribed, when it says that it waits.
  const changes = setInterval(() => void change().catch(() => undefined), 500)
  const { stdout } = await listening
  clearInterval(changes)
  server.close()
  const [, secret = ''] = /^secret (\S+)$/m.exec(stdout) ?? []
  const [{ headers, body }] = received as [(typeof received)[number]]
  const event = await verifyWebhook(body, headers, secret)
  expect(event).toMatchObject({ type: 'agent.updated', pda })
  expect(body).toMatch(/"new":\d+\b/)
  expect(stdout).toMatch(/^secret .*\nwaiting for events, sent to http/)
  expect(stdout).toContain(`agent.updated  ${event.id}  200`)
})

test('--version prints the version', async () => {
  const { createProgram } = await import('../../../src/cli/program.ts')
  expect((await createProgram([])).version()).toBe(packageJson.version)
})
