import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { installedTools } from '../tools/install.ts'
import { perFile } from '../support/lifetime.ts'

// Clients of the served document, made by three generators. Each program has calls that must
// compile, and calls marked with @ts-expect-error that must not.

const run = promisify(execFile)
const t = perFile(() => createTestApp())
let folder: string
let bin: (path: string, ...args: string[]) => Promise<unknown>
beforeAll(async () => {
  const tools = installedTools('openapi-clients')
  bin = (path, ...args) =>
    run(process.execPath, [join(tools, 'node_modules', path), ...args], { cwd: folder })
  folder = await mkdtemp(join(tmpdir(), 'openapi-clients-'))
  await symlink(join(tools, 'node_modules'), join(folder, 'node_modules'))
  await write('openapi.json', (await t.app.inject('/openapi.json')).body)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(folder, name), text)

async function compiled(program: string): Promise<string> {
  await write('program.ts', program)
  const options = [
    '--target',
    'es2024',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--lib',
    'esnext,dom,dom.iterable',
  ]
  return bin('typescript/bin/tsc', '--strict', '--noEmit', ...options, 'program.ts').then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

test('openapi-typescript makes a client whose types are those of the contract', async () => {
  await bin('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.d.ts')
  const problems = await compiled(`
    import createClient from 'openapi-fetch'
    import type { components, paths, webhooks } from './schema'

    const client = createClient<paths>({ baseUrl: 'http://localhost:3000' })
    const instruction: components['schemas']['Instruction'] = { programId: 'a', keys: [], data: '' }
    export async function main(pda: string) {
      const { data, error } = await client.GET('/agents/{pda}', { params: { path: { pda } } })
      const agent: components['schemas']['Agent'] | undefined = data
      const tier: 'observer' | 'basic' | 'standard' | 'premium' | undefined = agent?.tier
      const code: string | undefined = error?.details.code
      const page = await client.GET('/agents', { params: { query: { limit: 10 } } })
      const names: string[] | undefined = page.data?.agents.map(({ name }) => name)
      await client.POST('/relay/prepare', { body: { instructions: [instruction], signerPubkeys: [pda] } })
      // @ts-expect-error an empty body
      await client.POST('/relay/prepare', { body: {} })
      // @ts-expect-error no body
      await client.POST('/relay/submit', {})
      // @ts-expect-error the code is missing
      await client.GET('/sponsor/eligibility', { params: { query: { wallet: pda } } })
      const header = { 'x-wallet-pubkey': 'k', 'x-wallet-signature': 's', 'x-wallet-timestamp': '1' }
      const body = { credentialUrl: 'https://a.example' }
      await client.POST('/agents/{pda}/credentials/verify', { params: { path: { pda }, header }, body })
      await client.POST('/agents/{pda}/credentials/verify', {
        // @ts-expect-error not the name of a header
        params: { path: { pda }, header: { 'x-wallet-key': 'k' } },
        body,
      })
      // @ts-expect-error neither a URL nor a credential
      await client.POST('/agents/{pda}/credentials/verify', { params: { path: { pda } }, body: {} })
      return { tier, code, names }
    }
    type Payload<Name extends keyof webhooks> = NonNullable<webhooks[Name]['post']['requestBody']>['content']['application/json']
    export function receive(event: Payload<'agent.tier_updated'> | Payload<'stake.deposited'>): string | number {
      return event.type === 'agent.tier_updated' ? event.data.newTier : event.data.amount
    }
  `)
  expect(problems).toBe('')
})

test('@hey-api/openapi-ts makes a client whose types are those of the contract', async () => {
  await bin('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey')
  const problems = await compiled(`
    import { getAgent, prepareTransaction, verifyCredential } from './hey'
    import type { Agent, AgentTierUpdatedEvent, VerifyCredentialData } from './hey'
    import { client } from './hey/client.gen'

    client.setConfig({ baseUrl: 'http://localhost:3000', auth: ({ name }) => name })
    const body = { credentialUrl: 'https://a.example' }
    export const headers: VerifyCredentialData['headers'] = {
      'x-wallet-pubkey': 'k',
      'x-wallet-signature': 's',
      'x-wallet-timestamp': '1',
    }
    // @ts-expect-error not the name of a header
    export const wrong: VerifyCredentialData['headers'] = { 'x-wallet-key': 'k' }
    export async function main(pda: string) {
      const { data, error } = await getAgent({ path: { pda } })
      const agent: Agent | undefined = data
      const code: string | undefined = error?.details.code
      await prepareTransaction({ body: { instructions: [], signerPubkeys: [pda] } })
      // @ts-expect-error an empty body
      await prepareTransaction({ body: {} })
      // @ts-expect-error no body
      await prepareTransaction({})
      await verifyCredential({ path: { pda }, headers, body })
      // @ts-expect-error neither a URL nor a credential
      await verifyCredential({ path: { pda }, headers, body: {} })
      return { agent, code }
    }
    export const receive = (event: AgentTierUpdatedEvent): string => event.data.newTier
  `)
  expect(problems).toBe('')
})

test('orval makes a client whose types are those of the contract', async () => {
  await write(
    'orval.config.mjs',
    `export default { api: { input: './openapi.json', output: { target: './orval/api.ts', client: 'fetch', headers: true } } }`,
  )
  await bin('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs')
  const problems = await compiled(`
    import { getAgent, prepareTransaction, verifyCredential } from './orval/api'
    import type { Agent, AgentTierUpdatedEvent } from './orval/api'

    const headers = { 'x-wallet-pubkey': 'k', 'x-wallet-signature': 's', 'x-wallet-timestamp': '1' }
    const body = { credentialUrl: 'https://a.example' }
    export async function main(pda: string) {
      const response = await getAgent(pda)
      const agent: Agent | undefined = response.status === 200 ? response.data : undefined
      const code: string | undefined = response.status === 404 ? response.data.details.code : undefined
      await prepareTransaction({ instructions: [], signerPubkeys: [pda] })
      // @ts-expect-error an empty body
      await prepareTransaction({})
      // @ts-expect-error no body
      await prepareTransaction()
      await verifyCredential(pda, body, headers)
      // @ts-expect-error not the name of a header
      await verifyCredential(pda, body, { 'x-wallet-key': 'k' })
      // @ts-expect-error neither a URL nor a credential
      await verifyCredential(pda, {}, headers)
      return { agent, code }
    }
    export const receive = (event: AgentTierUpdatedEvent): string => event.data.newTier
  `)
  expect(problems).toBe('')
})
