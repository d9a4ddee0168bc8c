import { readConfig, ConfigError } from './config/config.ts'
import { createLogger } from './logger.ts'
import { KeypairError } from './keys/keypair-file.ts'
import { LockHeldError } from './process/pid-lock.ts'
import { loadEnvFile } from './config/env-file.ts'
import { startGateway } from './gateway.ts'

/** The process: settings, start, signals. Ctrl-C or SIGTERM stops it in order; a second one at once. */
async function main(): Promise<void> {
  loadEnvFile()
  const { config, secrets } = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  const gateway = await startGateway({ config, secrets, logger })
  const { promise: signalled, resolve } = Promise.withResolvers<NodeJS.Signals>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      resolve(signal)
      process.once(signal, () => process.exit(1))
    })
  }
  logger.info({ signal: await signalled }, 'stopping')
  await gateway.stop()
}

try {
  await main()
} catch (error) {
  const expected =
    error instanceof ConfigError || error instanceof KeypairError || error instanceof LockHeldError
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`)
  process.exit(1)
}
