import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'
import { START_ARGUMENTS } from '../support/start-arguments.ts'
import { type Memory, residentMemory } from './memory.ts'

const POLL_MS = 5
const DEADLINE_MS = 120_000
const SAMPLE_AGENTS = 24

export interface Start {
  /** Seconds from the start of the process. */
  readonly healthy: number
  /** Seconds until all sample agents are in the list. */
  readonly indexed: number
  readonly memory: Memory | null
}

/**
 * Starts the service as `npm start` does, measures the time until it responds and until it has its
 * agents, and stops it.
 */
export async function measureStart(dataDir: string): Promise<Start> {
  const port = await freePort()
  const { DATABASE_URL: _embeddedOnly, ...env } = process.env
  const began = performance.now()
  const child = spawn(process.execPath, START_ARGUMENTS, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: {
      ...env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOCALNET_PORT: '0',
      SEED_AGENTS: String(SAMPLE_AGENTS),
      RATE_LIMITS: 'false',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  const until = async (path: string, done: (body: unknown) => boolean): Promise<number> => {
    while (performance.now() - began < DEADLINE_MS) {
      if (child.exitCode !== null) throw new Error(`the gateway ended with code ${child.exitCode}`)
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
      if (response?.status === 200 && done(await response.json())) return (performance.now() - began) / 1000
      await delay(POLL_MS)
    }
    throw new Error(`${path} was not as expected after ${DEADLINE_MS} ms`)
  }
  try {
    const healthy = await until('/health', () => true)
    const indexed = await until(
      '/agents?limit=1&include_mismatched=true',
      (body) => (body as { total: number }).total === SAMPLE_AGENTS,
    )
    return { healthy, indexed, memory: residentMemory(child.pid ?? 0, dataDir) }
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}
