import { readConfig } from '../platform/config/config.ts'
import { misspelledSettings } from '../platform/config/misspelled-settings.ts'
import { loadEnvFile } from '../platform/config/env-file.ts'
import { type GatewayOptions, startGateway } from './gateway.ts'
import { createLogger } from '../platform/logger.ts'
import { formatFatalError } from '../platform/process/operator-error.ts'
import type { WorkerLimits } from '../webhooks/worker/limits.ts'

export interface ServerOptions {
  /** Replaces the timing and limits of the webhook worker, for tests. */
  readonly webhookLimits?: Partial<WorkerLimits>
}

/**
 * Runs the gateway as a process: settings, start, signals and exit code. Ctrl-C or SIGTERM stops it
 * in order, even while it is starting. A second signal exits at once.
 */
export async function runServer(options: ServerOptions = {}): Promise<void> {
  await exitAfter(() => serve(options))
}

/** Sets the exit code of the process when `serve` ends. */
export async function exitAfter(serve: () => Promise<void>): Promise<void> {
  try {
    await serve()
    process.exitCode = 0
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1)
      logger.info({ signal }, 'stopping')
      stopping.abort()
    })
  }
  await serveUntil({ config, secrets, logger, signal: stopping.signal, webhookLimits })
}

/** Runs the gateway until `signal` aborts. */
export async function serveUntil(
  options: GatewayOptions & { signal: AbortSignal },
  onStarted: () => void = () => undefined,
): Promise<void> {
  const gateway = await startGateway(options).catch((error: unknown) => {
    if (options.signal.aborted) return null
    throw error
  })
  if (gateway === null) return
  try {
    onStarted()
    await gateway.ended
  } finally {
    await gateway.stop()
  }
}
