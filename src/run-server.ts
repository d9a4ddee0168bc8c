import { readConfig } from './config/config.ts'
import { loadEnvFile } from './config/env-file.ts'
import { startGateway } from './gateway.ts'
import { createLogger } from './logger.ts'
import { epitaph } from './operator-error.ts'
import type { WorkerLimits } from './webhooks/worker/timing.ts'

/** The process: settings, start, signals. Ctrl-C or SIGTERM stops it in order, also while it starts; a second one at once. */
async function main(): Promise<void> {
  loadEnvFile()
  const { config, secrets } = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1)
      logger.info({ signal }, 'stopping')
      stopping.abort()
    })
  }
  const webhookLimits = testLimits(process.env.TEST_WEBHOOK_LIMITS)
  const gateway = await startGateway({
    config,
    secrets,
    logger,
    signal: stopping.signal,
    webhookLimits,
  }).catch((error: unknown) => {
    if (stopping.signal.aborted) return null
    throw error
  })
  if (gateway === null) return
  try {
    await gateway.ended
  } finally {
    await gateway.stop()
  }
}

/** No setting: crash tests of whole processes cannot wait for leases of production length. */
function testLimits(text: string | undefined): Partial<WorkerLimits> {
  return text === undefined ? {} : (JSON.parse(text) as Partial<WorkerLimits>)
}

try {
  await main()
  process.exitCode = 0
} catch (error) {
  process.stderr.write(`${epitaph(error)}\n`)
  process.exit(1)
}
