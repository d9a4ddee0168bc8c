import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config, Secrets } from '../platform/config/config.ts'
import type { Logger } from '../platform/logger.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { createPeers, type Peers } from '../platform/process/peers.ts'

const ENTRY = fileURLToPath(new URL('api-process.ts', import.meta.url))
const RESTART_MS = { first: 1_000, max: 30_000, resetAfter: 60_000 }
/** Longer than open requests of a process take, shorter than the stop of this process. */
const STOP_MS = 20_000

/** The first message to an API process. Others can read its arguments and environment. */
export interface ApiProcessStart {
  readonly number: number
  readonly config: Config
  readonly secrets: Secrets
}

/** The message of an API process that listens. */
export const LISTENING = 'listening'

/** The API processes that this process, number 1, starts. They stop when it disconnects or dies. */
export interface ApiProcesses {
  readonly peers: Peers
  /** Returns when all of them listen on the port. A process that ends later is started again. */
  start(port: number): Promise<void>
  stop(): Promise<void>
  /** Ends them at once. */
  kill(): void
}

export function createApiProcesses(options: {
  config: Config
  secrets: Secrets
  logger: Logger
}): ApiProcesses {
  const { config, secrets, logger } = options
  const peers = createPeers(1, config.apiProcesses)
  const children = new Map<number, ChildProcess>()
  const runs: Promise<void>[] = []
  const stopping = new AbortController()

  /** Runs a process until it ends. Returns how it ended. */
  const runOnce = async (number: number, port: number, onListening: () => void): Promise<string> => {
    const child = fork(ENTRY, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    children.set(number, child)
    const { promise, resolve } = Promise.withResolvers<string>()
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    child.on('error', (error) => resolve(error.message))
    child.on('message', (message) => {
      if (message !== LISTENING) return
      // Not before: calls would wait while it loads its code.
      peers.connect(number, child)
      onListening()
    })
    const start: ApiProcessStart = {
      number,
      secrets,
      config: {
        ...config,
        roles: new Set(['api']),
        dataDir: join(config.dataDir, `api-${number}`),
        server: { ...config.server, port },
      },
    }
    child.send(start, () => undefined)
    return promise
  }
  const keepRunning = async (
    number: number,
    port: number,
    first: PromiseWithResolvers<void>,
  ): Promise<void> => {
    let restartMs = RESTART_MS.first
    let hasListened = false
    while (!stopping.signal.aborted) {
      let listensSince = Infinity
      const end = await runOnce(number, port, () => {
        listensSince = performance.now()
        hasListened = true
        first.resolve()
      }).catch(String)
      if (stopping.signal.aborted) return
      const message = `API process ${number} ended (${end})`
      if (!hasListened) return first.reject(new OperatorError(`${message} before it listened`))
      if (performance.now() - listensSince > RESTART_MS.resetAfter) restartMs = RESTART_MS.first
      logger.error({ restartMs }, `${message} and is started again`)
      await setTimeout(restartMs, null, { signal: stopping.signal }).catch(() => undefined)
      restartMs = Math.min(2 * restartMs, RESTART_MS.max)
    }
  }
  const kill = (): void => {
    stopping.abort()
    for (const child of children.values()) child.kill('SIGKILL')
  }
  return {
    peers,
    kill,
    start: async (port) => {
      const numbers = Array.from({ length: config.apiProcesses - 1 }, (_, i) => i + 2)
      await Promise.all(
        numbers.map((number) => {
          const first = Promise.withResolvers<void>()
          runs.push(keepRunning(number, port, first))
          return first.promise
        }),
      )
    },
    stop: async () => {
      stopping.abort()
      for (const child of children.values()) if (child.connected) child.disconnect()
      const ended = new AbortController()
      setTimeout(STOP_MS, null, { signal: ended.signal }).then(kill, () => undefined)
      await Promise.all(runs)
      ended.abort()
    },
  }
}
