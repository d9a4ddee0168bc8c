import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRegistry, generateSigner } from '@agent-registry/client'
import { pino } from 'pino'
import { startGateway } from '../../../src/compose/gateway.ts'
import { readRuntime } from '../../../src/compose/runtime-file.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { root } from '../../support/source-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export interface Flow {
  readonly name: string
  /** Those whose functions ran, in the main thread. */
  readonly files: readonly string[]
}

const session = new Session()
session.connect()

/** The files of which a function ran since the last call. */
async function filesRun(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  )
  return ran
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => /^(src|rest|schema)\//.test(file))
    .sort()
}

/** Runs the real service, and records which files run for a request or an event. */
export async function measureFlows(): Promise<Flow[]> {
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const dataDir = temporaryFolder('house-')
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LOCALNET_PORT: '0', SEED_AGENTS: '3' })
  const gateway = await startGateway({ ...config, logger: pino({ level: 'silent' }) })
  const { baseUrl, rpcUrl } = readRuntime(dataDir)!
  const receiver = await startReceiver()
  try {
    return [
      { name: 'a list', files: await runList(baseUrl) },
      { name: 'a sponsored submit, with its indexing', files: await runSponsoredSubmit(baseUrl, dataDir) },
      { name: 'a transaction to its receiver', files: await runEvent(baseUrl, rpcUrl, receiver) },
    ]
  } finally {
    await receiver.close()
    await gateway.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function runList(baseUrl: string): Promise<string[]> {
  const read = async (sort: string) => (await fetch(`${baseUrl}/agents?sort=${sort}`)).text()
  await read('name')
  await filesRun()
  await read('created_at')
  return filesRun()
}

async function runSponsoredSubmit(baseUrl: string, dataDir: string): Promise<string[]> {
  let files: string[] = []
  const watched: typeof fetch = async (input, init) => {
    const isSubmit = (input instanceof Request ? input.url : String(input)).endsWith('/submit')
    if (isSubmit) await filesRun()
    const response = await fetch(input, init)
    if (isSubmit) files = await filesRun()
    return response
  }
  const registry = createRegistry(baseUrl, { fetch: watched })
  const inviteCode = readFileSync(join(dataDir, 'invite-code'), 'utf8').trim()
  const card = { cardUrl: 'https://agents.example.org/card.json', card: '{}' }
  await registry.agents.register(
    { name: 'House', category: 'research', ...card, inviteCode },
    await generateSigner(),
  )
  return files
}

async function runEvent(baseUrl: string, rpcUrl: string, receiver: Receiver): Promise<string[]> {
  const registry = createRegistry(baseUrl, { wallet: await generateSigner() })
  await registry.webhooks.create({ url: receiver.url(), eventTypes: ['agent.registered'] })
  await filesRun()
  // The ledger gets the transaction directly, so that nothing but the event runs.
  const child = spawn(process.execPath, ['examples/register-agent.ts', rpcUrl], { cwd: root })
  await Promise.all([receiver.received(1), once(child, 'exit')])
  return filesRun()
}
