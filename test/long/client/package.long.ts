import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { emptyProject, type PackedClient, packClient, ROOT, run } from '../support/packed-client.ts'
import { installedTools } from '../../tools/install.ts'

let client: PackedClient
let project: string
const tools = installedTools('client')
beforeAll(async () => {
  client = await packClient()
  project = await emptyProject(client)
})

const tool = (name: string): string => join(tools, 'node_modules/.bin', name)

test('publint and attw report nothing', async () => {
  expect(await run(tool('publint'), ['--strict', client.folder], tools)).toContain('All good!')
  const options = ['--profile', 'esm-only', '--format', 'json']
  const report = JSON.parse(await run(tool('attw'), [client.archive, ...options], tools)) as {
    analysis: { types: { kind: string } }
    problems: Record<string, unknown>
  }
  expect(report.analysis.types.kind).toBe('included')
})

test('the package has no dependencies and only JavaScript, declarations and texts', async () => {
  const manifest = JSON.parse(readFileSync(join(client.folder, 'package.json'), 'utf8')) as object
  expect(manifest).toMatchObject({ type: 'module', sideEffects: false, engines: { node: '>=20.3' } })
  expect(Object.keys(manifest)).not.toContain('dependencies')
  expect(Object.keys(manifest)).not.toContain('private')
  const [packed] = JSON.parse(await run('npm', ['pack', '--dry-run', '--json', client.folder], project)) as [
    { files: { path: string }[]; size: number },
  ]
  const other = packed.files.filter(
    ({ path }) => !/(\.js|\.d\.ts|^README\.md|^LICENSE|^package\.json)$/.test(path),
  )
  expect(other).toEqual([])
  expect(packed.size).toBeLessThan(66_500)
})

const TYPES = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    types: [],
    noEmit: true,
    skipLibCheck: false,
  },
  files: ['program.ts'],
}

async function typeErrors(program: string): Promise<string> {
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TYPES))
  writeFileSync(join(project, 'program.ts'), program)
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [compiler, '-p', project, '--pretty', 'false'], project).catch(String)
}

test('a strict TypeScript program compiles, and wrong arguments do not', async () => {
  const head = `import { createRegistry, generateSigner } from '@agent-registry/client'
const registry = createRegistry('https://gateway.example')
const wallet = await generateSigner()
const card = { cardUrl: 'https://a.example', card: '{}' }
`
  expect(
    await typeErrors(`${head}import { verifyWebhook } from '@agent-registry/client/webhooks'
import { deposit } from '@agent-registry/client/instructions'
await registry.agents.register({ name: 'A', category: 'research', ...card }, wallet)
for await (const agent of registry.agents.list({ tier: 'premium' })) agent.capabilities satisfies bigint
const { total } = await registry.stakes.list().page()
total satisfies number
await registry.stakes.deposit(1n, wallet)
const event = await verifyWebhook('', new Headers(), 'whsec_x')
event.type satisfies string
deposit satisfies Function
await registry.call('getAgent', { path: { pda: 'x' } })
await registry.credentials.verify('x', { credentialUrl: 'https://a.example' }, wallet)
`),
  ).toBe('')
  const errors = await typeErrors(`${head}
await registry.agents.register({ name: 'A', category: 'unknown', ...card }, wallet)
await registry.agents.register({ name: 'A', category: 'research' }, wallet)
await registry.stakes.deposit(1, wallet)
await registry.call('getAgent', {})
await registry.call('getAgents', {})
registry.agents.list({ tier: 'gold' })
await registry.credentials.verify('x', { credentialUrl: 'https://a.example' })
`)
  expect(errors.match(/program\.ts\(\d+/g)).toEqual(
    [6, 7, 8, 9, 10, 11, 12].map((line) => `program.ts(${line}`),
  )
})
