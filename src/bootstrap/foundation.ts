import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Orm } from '../db/orm.ts'
import type { Database } from '../db/tables.ts'
import type { LedgerRpc } from '../ledger/rpc.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'

/** What every part of the gateway stands on. */
export interface Foundation {
  readonly config: Config
  readonly orm: Orm
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerRpc
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Whoever starts something puts its stop here; they run in reverse order. */
  readonly stack: AsyncDisposableStack
}
