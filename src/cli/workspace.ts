import type { Command } from 'commander'
import { startDatabase } from '../compose/database.ts'
import { openBackends } from '../compose/ledger.ts'
import { isGatewayRunning, lockDataDir } from '../compose/runtime-file.ts'
import type { LedgerScanOptions } from '../ledger/audit/findings.ts'
import { systemClock } from '../platform/clock.ts'
import { type Config, readConfig } from '../platform/config/config.ts'
import { createCommandLogger, type Logger } from '../platform/logger.ts'
import { outputOf } from './output.ts'

/** The ledger and the database of the service, to read the whole ledger. */
export const openWorkspace = (command: Command) =>
  open(async ({ config, ...options }) => {
    const { database, nodes } = await openBackends(config, { ...options, clock: systemClock })
    const output = outputOf(command)
    const { programId, commitment } = config.ledger
    const reading: LedgerScanOptions = {
      orm: database.orm,
      rpc: nodes.rpc,
      programId,
      commitment,
      onProgress: ({ stage, done, total }) => output.progress(`${stage} ${done}/${total}`),
    }
    return { output, reading }
  })

export const openDatabaseWorkspace = (command: Command) =>
  open(async ({ config, logger, stack, shared }) => {
    const database = await startDatabase(config, logger, { keepServer: shared })
    stack.defer(() => database.stop())
    return { em: database.orm.em, output: outputOf(command) }
  })

interface Opening {
  readonly config: Config
  readonly logger: Logger
  /** Stops what was started. */
  readonly stack: AsyncDisposableStack
  /** Whether a gateway runs on DATA_DIR. It keeps running. */
  readonly shared: boolean
}

/** Uses a gateway that runs on DATA_DIR. Otherwise parts are started until the command ends. */
async function open<Parts extends object>(
  work: (opening: Opening) => Promise<Parts>,
): Promise<Parts & AsyncDisposable> {
  const { config } = readConfig(process.env)
  const stack = new AsyncDisposableStack()
  try {
    const shared = isGatewayRunning(config.dataDir)
    if (!shared) stack.defer(lockDataDir(config.dataDir))
    const parts = await work({ config, logger: createCommandLogger(), stack, shared })
    return { ...parts, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
