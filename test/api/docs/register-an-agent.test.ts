import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Runtime } from '../../../src/gateway/runtime-file.ts'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder('register-an-agent-')
let gateway: GatewayProcess
let runtime: Runtime
beforeAll(async () => {
  gateway = await createGatewayProcess({ SEED_AGENTS: '0' })
  runtime = await gateway.start()
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'register.mjs'), codeBlockOf(readGuide('register-an-agent'), 'js'))
})
afterAll(() => gateway.remove())

async function createWallet(name: string): Promise<{ file: string; owner: string }> {
  const file = join(folder, `${name}.json`)
  const { stdout } = await gateway.cli('keygen', file)
  return { file, owner: stdout.split(' ')[0] ?? '' }
}

async function register(keyFile: string, inviteCode?: string): Promise<string> {
  const env = { ...process.env, GATEWAY: runtime.baseUrl, KEY_FILE: keyFile, INVITE_CODE: inviteCode }
  const { stdout } = await promisify(execFile)(process.execPath, ['register.mjs'], { cwd: folder, env })
  return stdout.trim()
}

const findAgent = async (owner: string): Promise<unknown> => {
  const response = await fetch(`${runtime.baseUrl}/agents?owner=${owner}&include_mismatched=true`)
  return ((await response.json()) as { agents: unknown[] }).agents[0]
}

test('the program of the guide registers an agent that its owner pays', async () => {
  const { file, owner } = await createWallet('owner')
  await gateway.cli('localnet', 'airdrop', owner, '1')
  const [status, pda] = (await register(file)).split(' ')
  expect(status).toBe('confirmed')
  await expect
    .poll(() => findAgent(owner))
    .toMatchObject({ pda, name: 'Weather Scout', service_category: 'research', reputation_score: 250 })
})

test('with an invite code, the program of the guide registers an agent for a wallet without SOL', async () => {
  const { file, owner } = await createWallet('fresh')
  const code = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const [status, pda] = (await register(file, code)).split(' ')
  expect(status).toBe('confirmed')
  await expect.poll(() => findAgent(owner)).toMatchObject({ pda, owner, name: 'Weather Scout' })
})
