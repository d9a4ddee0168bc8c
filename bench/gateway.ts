import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readRuntime, type Runtime } from '../src/compose/runtime-file.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { START_ARGUMENTS } from './support/start-arguments.ts'

export interface BenchGateway extends Runtime {
  readonly pid: number
  stop(): Promise<void>
}

/** The service as `npm start` runs it: its own process, a temporary folder, no rate limits. */
export async function startBenchGateway(settings: Record<string, string> = {}): Promise<BenchGateway> {
  const dataDir = temporaryFolder('gateway-bench-')
  const child = spawn(process.execPath, START_ARGUMENTS, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      LOCALNET_PORT: '0',
      SEED_AGENTS: '0',
      RATE_LIMITS: 'false',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Stops the gateway if the bench throws.
  process.once('exit', () => child.kill('SIGTERM'))
  let output = ''
  // A gateway of the role api listens, but without a ledger it is never ready.
  while (!/the gateway is (not )?ready/.test(output)) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    output += chunk.toString()
  }
  child.stdout.resume()
  const runtime = readRuntime(dataDir)
  if (runtime === null) throw new Error('the gateway wrote no runtime file')
  return {
    ...runtime,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Reads need no ledger. None is started, so that only the memory of the service is measured. */
export const startReadingGateway = (databaseUrl: string, settings: Record<string, string> = {}) =>
  startBenchGateway({
    DATABASE_URL: databaseUrl,
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
    ROLES: 'api',
    WEBHOOK_SECRETS_KEY: '00'.repeat(32),
    ...settings,
  })
