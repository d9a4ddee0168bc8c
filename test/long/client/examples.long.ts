import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRegistry, generateSigner, type Registry } from '@agent-registry/client'
import type { Runtime } from '../../../src/compose/runtime-file.ts'
import { emptyProject, exampleProject, type PackedClient, packClient, run } from '../support/packed-client.ts'
import { createGatewayProcess } from '../../support/gateway-process.ts'
import { perFile } from '../../support/lifetime.ts'

let client: PackedClient
const gateway = perFile(() => createGatewayProcess({ SEED_AGENTS: '0' }))
let runtime: Runtime
let registry: Registry
const children: ChildProcess[] = []

beforeAll(async () => {
  ;[client, runtime] = await Promise.all([packClient(), gateway.start()])
  registry = createRegistry(runtime.baseUrl)
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
})

const environment = () => ({
  GATEWAY: runtime.baseUrl,
  INVITE_CODE: readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim(),
})

const isMissing = (command: string, ...args: string[]): boolean => spawnSync(command, args).status !== 0

/**
 * Every supported Node.js in PATH by its version: that of the project, and often one of the system.
 */
const NODES = new Map(
  process.env.PATH!.split(delimiter).flatMap((folder) => {
    const command = join(folder, 'node')
    const version = String(spawnSync(command, ['--version']).stdout ?? '').trim()
    return Number(/^v(\d+)/.exec(version)?.[1]) > 20 || /^v20\.(?![012]\.)/.test(version)
      ? [[version, command] as const]
      : []
  }),
)

test.each([...NODES])('on Node.js %s, the start of the README registers an agent', async (_, node) => {
  const folder = await emptyProject(client)
  const readme = readFileSync(join(client.folder, 'README.md'), 'utf8')
  const [, program = ''] = /^```js\n(.*?)^```/ms.exec(readme)!
  expect(program.split('\n').length).toBeLessThanOrEqual(18)
  writeFileSync(join(folder, 'register.mjs'), program)
  const output = await run(node, ['register.mjs'], folder, environment())
  expect(output).toMatch(/^confirmed \{/)
  expect(output).toContain("name: 'Weather Scout'")
})

test.each([...NODES])('on Node.js %s, the Node example registers and updates an agent', async (_, node) => {
  const folder = await exampleProject(client, 'node')
  const output = await run(node, ['agent.mjs'], folder, environment())
  expect(output).toMatch(/^registered \w+\n/)
  expect(output).toContain('metadata_updated')
  expect((JSON.parse(readFileSync(join(folder, 'wallet.json'), 'utf8')) as number[]).length).toBe(64)
})

test('the Python example registers an agent', async ({ skip }) => {
  skip(isMissing('python3', '-c', 'import cryptography'), 'Python or its package cryptography is missing')
  const output = await run(
    'python3',
    ['register.py'],
    await exampleProject(client, 'register-python'),
    environment(),
  )
  const [status, pda = ''] = output.trim().split(' ')
  expect(status).toBe('confirmed')
  expect(await registry.agents.get(pda, { waitMs: 10_000 })).toMatchObject({ name: 'Python Scout' })
})

async function listen(folder: string, command: string, args: string[], secret: string) {
  const env = { ...process.env, PORT: '0', WEBHOOK_SECRET: secret }
  const child = spawn(command, args, { cwd: folder, env })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(output)))
  while (!/listening \d+/.test(output)) await Promise.race([once(child.stdout, 'data'), ended])
  ended.catch(() => undefined)
  return { url: `http://127.0.0.1:${/listening (\d+)/.exec(output)![1]}/`, output: () => output }
}

test.for([
  {
    example: 'receiver-hono',
    check: [process.execPath, '--version'],
    start: [process.execPath, 'receiver.ts'],
  },
  { example: 'receiver-python', check: ['python3', '--version'], start: ['python3', 'receiver.py'] },
  { example: 'receiver-go', check: ['go', 'version'], start: ['go', 'run', 'main.go'] },
])('$example verifies a webhook of the gateway and refuses another secret', async (each, { skip }) => {
  const [checked = '', ...checkArgs] = each.check
  skip(isMissing(checked, ...checkArgs), 'The language is not installed')
  const wallet = await generateSigner()
  const { id, secret } = await registry.webhooks.create(
    { url: 'http://127.0.0.1:9/', eventTypes: ['agent.registered'] },
    { wallet },
  )
  const [command = '', ...args] = each.start
  const folder = await exampleProject(client, each.example)
  const right = await listen(folder, command, args, secret)
  const wrong = await listen(folder, command, args, 'whsec_other')
  await registry.webhooks.update(id, { url: right.url }, { wallet })
  await registry.webhooks.ping(id, { wallet })
  await expect.poll(right.output).toMatch(/^ping /m)
  await registry.webhooks.update(id, { url: wrong.url }, { wallet })
  await registry.webhooks.ping(id, { wallet })
  const last = async () => (await registry.webhooks.deliveries(id, { wallet }).page()).deliveries[0]
  await expect.poll(last).toMatchObject({ status: 'failed', attempt_count: 1 })
})
