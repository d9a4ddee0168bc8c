import { abortable, withTimeout } from '../platform/async/promises.ts'
import { misspelledSettings, readConfig } from '../platform/config/config.ts'
import { loadEnvFile } from '../platform/config/env-file.ts'
import { type GatewayOptions, startGateway } from './gateway.ts'
import { createLogger } from '../platform/logger.ts'
import type { EndChild } from './database.ts'
import { formatFatalError, OperatorError } from '../platform/process/operator-error.ts'

/** The limits replace those of the webhook worker, for tests. */
type ServerOptions = Pick<GatewayOptions, 'webhookLimits'>

/** Both together are shorter than the 30 s after which Kubernetes kills a process. */
const STOP_MS = 24_000
const CHILDREN_MS = 5_000
const IDLE_MS = 1_000
/** Ctrl-C reaches both npm and this process, and npm passes it on. */
const REPEATED_MS = 500

/**
 * Runs the gateway as a process: settings, start, signals and exit code. Ctrl-C or SIGTERM stops it
 * in order, even while it is starting. After a second signal, it only ends its child processes.
 */
export async function runServer(options: ServerOptions = {}): Promise<void> {
  try {
    await serve(options)
    process.exitCode = 0
    // For the case that a connection or a timer was left.
    setTimeout(() => process.exit(), IDLE_MS).unref()
  } catch (error) {
    process.stderr.write(`${formatFatalError(error)}\n`)
    process.exit(1)
  }
}

async function serve({ webhookLimits }: ServerOptions): Promise<void> {
  loadEnvFile()
  const { config, secrets } = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  for (const warning of misspelledSettings(process.env)) logger.warn(warning)
  const stopping = new AbortController()
  const hurry = new AbortController()
  let first = Infinity
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) {
        logger.info({ signal }, 'stopping')
        first = performance.now()
        stopping.abort()
      } else if (performance.now() - first > REPEATED_MS) {
        hurry.abort(new OperatorError('stopped at once, because of a second signal'))
      }
    })
  }
  await serveUntil({ config, secrets, logger, signal: stopping.signal, webhookLimits }, hurry)
}

/**
 * Runs the gateway until `signal` aborts. If it does not stop in time, or when `hurry` aborts, ends
 * its child processes and throws.
 */
async function serveUntil(
  options: GatewayOptions & { signal: AbortSignal },
  hurry: AbortController,
): Promise<void> {
  const { signal } = options
  const children = new Set<EndChild>()
  let timer: NodeJS.Timeout | undefined
  const stopBegins = (): void => {
    const late = new OperatorError(`stopped at once, because the stop took longer than ${STOP_MS / 1_000} s`)
    timer ??= setTimeout(() => hurry.abort(late), STOP_MS)
  }
  signal.addEventListener('abort', stopBegins, { once: true })
  const startAndStop = async (): Promise<void> => {
    const gateway = await startGateway({ ...options, children }).catch((error: unknown) => {
      if (signal.aborted) return null
      throw error
    })
    if (gateway === null) return
    try {
      await gateway.ended
    } finally {
      stopBegins()
      await gateway.stop()
    }
  }
  try {
    await abortable(startAndStop(), hurry.signal)
  } catch (error) {
    await withTimeout(CHILDREN_MS, Promise.allSettled(Array.from(children, (end) => end())))
    throw error
  } finally {
    clearTimeout(timer)
  }
}
