import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../src/compose/runtime-file.ts'
import { connectMcp } from '../support/mcp.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { codeBlockOf, readGuide } from '../support/guide.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { perFile } from '../support/lifetime.ts'

const folder = temporaryFolder('guides-')
const gateway = perFile(() => createGatewayProcess({ SEED_AGENTS: '0' }))
let runtime: Runtime
let liveEvents: ChildProcess
let liveOutput = ''

/** Writes the program of a guide into the folder, where it finds the packages of the gateway. */
function save(guide: string): string {
  const file = `${guide}.mjs`
  writeFileSync(join(folder, file), codeBlockOf(readGuide(guide), 'js'))
  return file
}

async function run(file: string, env: Record<string, string | undefined> = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, GATEWAY: runtime.baseUrl, ...env } }
  return (await promisify(execFile)(process.execPath, [file], options)).stdout.trim()
}

beforeAll(async () => {
  runtime = await gateway.start()
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const env = { ...process.env, GATEWAY: runtime.baseUrl }
  liveEvents = spawn(process.execPath, [save('graphql')], { cwd: folder, env })
  for (const stream of [liveEvents.stdout, liveEvents.stderr])
    stream?.on('data', (chunk: Buffer) => (liveOutput += chunk.toString()))
})
afterAll(async () => {
  liveEvents.kill('SIGKILL')
})

async function createWallet(name: string): Promise<{ keyFile: string; owner: string }> {
  const keyFile = join(folder, `${name}.json`)
  const { stdout } = await gateway.cli('keygen', keyFile)
  return { keyFile, owner: stdout.split(' ')[0] ?? '' }
}

const findAgent = async (owner: string): Promise<unknown> => {
  const response = await fetch(`${runtime.baseUrl}/agents?owner=${owner}&include_mismatched=true`)
  return ((await response.json()) as { agents: unknown[] }).agents[0]
}

test('the registration program registers an agent that its owner pays', async () => {
  const { keyFile, owner } = await createWallet('owner')
  await gateway.cli('localnet', 'airdrop', owner, '1')
  const [status, pda] = (await run(save('register-an-agent'), { KEY_FILE: keyFile })).split(' ')
  expect(status).toBe('confirmed')
  await expect
    .poll(() => findAgent(owner))
    .toMatchObject({ pda, name: 'Weather Scout', service_category: 'research', reputation_score: 250 })
})

test('with an invite code, the registration program registers an agent for a wallet without SOL', async () => {
  const { keyFile, owner } = await createWallet('fresh')
  const code = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const env = { KEY_FILE: keyFile, INVITE_CODE: code }
  const [status, pda] = (await run(save('register-an-agent'), env)).split(' ')
  expect(status).toBe('confirmed')
  await expect.poll(() => findAgent(owner)).toMatchObject({ pda, owner, name: 'Weather Scout' })
  await expect.poll(() => liveOutput).toContain(`AGENT_REGISTERED ${pda}\n`)
})

test('the MCP program reads an agent and its DID Document', async () => {
  expect(await run(save('mcp'))).toMatch(/^Weather Scout did:sol:\w{32,44}$/)
})

test('the MCP guide has every tool with its arguments, and every resource', async () => {
  const client = await connectMcp('SDK 1.x over Streamable HTTP', runtime.baseUrl)
  const { tools } = await client.listTools()
  const { resourceTemplates } = await client.listResourceTemplates()
  await client.close()
  const guide = readGuide('mcp')
  const [, documentedTools = ''] = guide.split(/^## (?:Tools|Prompts)$/m)
  const documented = Array.from(
    documentedTools.matchAll(/^\| `(\w+)` +\| (.*?) \|/gm),
    ([, name, args = '']) => [
      name,
      args
        .replaceAll(/\(.*?\)/g, '')
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    ],
  )
  const offered = tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => [
    name,
    Object.keys(properties).map((each) => (required.includes(each) ? `**${each}**` : each)),
  ])
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(offered))
  const rows = guide.split('\n')
  for (const { uriTemplate, mimeType } of resourceTemplates)
    expect(rows.find((row) => row.startsWith(`| \`${uriTemplate}\``))).toContain(`\`${mimeType}\``)
})
