import type { Command } from 'commander'
import type { LedgerScanOptions } from '../ledger/audit/findings.ts'
import { type RunningDatabase, startDatabase } from '../compose/database.ts'
import { openBackends } from '../compose/ledger.ts'
import { isGatewayRunning, lockDataDir } from '../compose/runtime-file.ts'
import { systemClock } from '../platform/clock.ts'
import { type Config, readConfig } from '../platform/config/config.ts'
import type { LedgerRpc } from '../ledger/rpc/ledger-rpc.ts'
import { createCommandLogger, type Logger } from '../platform/logger.ts'
import { createOutput, type Output } from './output.ts'

/** The database and the ledger of the service with these settings. */
interface Workspace extends AsyncDisposable {
  config: Config
  logger: Logger
  orm: RunningDatabase['orm']
  rpc: LedgerRpc
  rpcUrl: string
  wsUrl: string
  output: Output
}

/**
 * Opens the database and the ledger. Uses a gateway that runs on DATA_DIR and leaves it running.
 * Otherwise starts the embedded parts and stops them afterwards.
 */
export async function openWorkspace(command: Command): Promise<Workspace> {
  const { config } = readConfig(process.env)
  const logger = createCommandLogger()
  const stack = new AsyncDisposableStack()
  try {
    const shared = isGatewayRunning(config.dataDir)
    if (!shared) stack.defer(lockDataDir(config.dataDir))
    const options = { logger, clock: systemClock, stack, shared }
    const { database, ledger, nodes } = await openBackends(config, options)
    return {
      config,
      logger,
      orm: database.orm,
      rpc: nodes.rpc,
      rpcUrl: ledger.rpcUrls[0] ?? '',
      wsUrl: ledger.wsUrls[0] ?? '',
      output: createOutput(command.optsWithGlobals().json === true),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Options for reading the whole ledger, with progress on a terminal. */
export function ledgerReading({ orm, rpc, config, output }: Workspace): LedgerScanOptions {
  const { programId, commitment } = config.ledger
  return {
    orm,
    rpc,
    programId,
    commitment,
    onProgress: ({ stage, done, total }) => output.progress(`${stage} ${done}/${total}`),
  }
}

/** For commands that need only the database. */
interface DatabaseWorkspace extends AsyncDisposable {
  em: RunningDatabase['orm']['em']
  output: Output
}

/** Opens the database of the service. A gateway that runs on DATA_DIR keeps running. */
export async function openDatabaseWorkspace(command: Command): Promise<DatabaseWorkspace> {
  const { config } = readConfig(process.env)
  const stack = new AsyncDisposableStack()
  try {
    const shared = isGatewayRunning(config.dataDir)
    if (!shared) stack.defer(lockDataDir(config.dataDir))
    const logger = createCommandLogger()
    const database = await startDatabase(config, logger, { keepServer: shared })
    stack.defer(() => database.stop())
    return {
      em: database.orm.em,
      output: createOutput(command.optsWithGlobals().json === true),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
