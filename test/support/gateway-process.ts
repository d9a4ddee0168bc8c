import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { readRuntime, type Runtime } from '../../src/compose/runtime-file.ts'
import type { WorkerLimits } from '../../src/webhooks/limits.ts'
import { connectionTo, createDatabase, dropDatabase } from './database-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A gateway without a node or an indexer is started, but not ready. */
const STARTED = /the gateway is (not )?ready/

/** The service as `npm start` runs it, in its own processes and a temporary DATA_DIR. */
export interface GatewayProcess {
  readonly dataDir: string
  /** The environment of its processes. */
  readonly env: NodeJS.ProcessEnv
  /** Starts it and waits until it logs whether it is ready. */
  start(): Promise<Runtime>
  /** The id of the process. */
  pid(): number
  /** kill -9. */
  kill(): Promise<void>
  /** Sends a signal, for example SIGSTOP. */
  signal(signal: NodeJS.Signals): void
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>
  /** Waits until it ends by itself. Returns the exit code. */
  ended(): Promise<number | null>
  /** All output of the service. */
  output(): string
  /** `npm run cli -- …`: exit code and output. */
  cli(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>
  /** Stops it and removes its files and database. */
  remove(): Promise<void>
}

export async function createGatewayProcess(
  settings: Record<string, string> = {},
  webhookLimits?: Partial<WorkerLimits>,
): Promise<GatewayProcess> {
  const entry =
    webhookLimits === undefined
      ? ['src/server.ts']
      : ['test/support/server-with-limits.ts', JSON.stringify(webhookLimits)]
  const dataDir = temporaryFolder('gateway-process-')
  const server = inject('databaseServer')
  const database = `gateway_process_${dataDir.slice(-6).toLowerCase()}`
  const external = 'url' in server
  if (external) await createDatabase(server, database)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    PORT: '0',
    LOCALNET_PORT: '0',
    ...(external ? { DATABASE_URL: (connectionTo(server, database) as { url: string }).url } : {}),
    ...settings,
  }
  let child: ChildProcess | undefined
  let output = ''

  const gateway: GatewayProcess = {
    dataDir,
    env,
    start: async () => {
      child = spawn(process.execPath, entry, {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
      await readyOrEnded(child)
      const runtime = readRuntime(dataDir)
      if (runtime === null) throw new Error('the gateway wrote no runtime file')
      return runtime
    },
    pid: () => child?.pid ?? 0,
    kill: async () => {
      if (child?.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    signal: (signal) => void child?.kill(signal),
    stop: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null)
        return child?.exitCode ?? null
      child.kill('SIGTERM')
      await once(child, 'exit')
      return child.exitCode
    },
    ended: async () => {
      if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child?.exitCode ?? null
    },
    output: () => output,
    cli: async (...args) => {
      try {
        const done = await promisify(execFile)(process.execPath, ['src/cli/main.ts', ...args], {
          cwd: ROOT,
          env,
        })
        return { code: 0, ...done }
      } catch (error) {
        const failed = error as { code: number; stdout: string; stderr: string }
        return { code: failed.code, stdout: failed.stdout, stderr: failed.stderr }
      }
    },
    remove: async () => {
      await gateway.stop()
      if (external) await dropDatabase(server, database)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return gateway
}

async function readyOrEnded(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  const listen = (chunk: Buffer): void => {
    output += chunk.toString()
    if (STARTED.test(output)) resolve()
  }
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  child.once('exit', (code) =>
    reject(new Error(`the gateway ended with code ${code}: ${output.slice(-3_000)}`)),
  )
  await promise
}
