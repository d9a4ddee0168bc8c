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
export async function createGatewayProcess(
  settings: Record<string, string> = {},
  webhookLimits?: Partial<WorkerLimits>,
) {
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

  const isRunning = (): boolean => child?.exitCode === null && child.signalCode === null
  /** Sends the signal, if there is one, and waits for the end. Returns the exit code. */
  const endOf = async (signal?: NodeJS.Signals): Promise<number | null> => {
    if (isRunning()) {
      if (signal !== undefined) child!.kill(signal)
      await once(child!, 'exit')
    }
    return child?.exitCode ?? null
  }
  const stop = () => endOf('SIGTERM')
  return {
    dataDir,
    env,
    /** Starts it and waits until it logs whether it is ready. */
    start: async (): Promise<Runtime> => {
      child = spawn(process.execPath, entry, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
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
    kill: async () => void (await endOf('SIGKILL')),
    signal: (signal: NodeJS.Signals) => void child?.kill(signal),
    stop,
    /** Waits until it ends by itself. Returns the exit code. */
    ended: () => endOf(),
    output: () => output,
    /** `npm run cli -- …`: exit code and output. */
    cli: async (...args: string[]) => {
      const done = promisify(execFile)(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT, env })
      return done.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
          code,
          stdout,
          stderr,
        }),
      )
    },
    /** Stops it and removes its files and database. */
    remove: async () => {
      await stop()
      if (external) await dropDatabase(server, database)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
export type GatewayProcess = Awaited<ReturnType<typeof createGatewayProcess>>

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
