import type { Kysely } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import type { Database } from '../db/database.ts'
import type { LedgerRpc } from '../ledger/rpc/ledger-rpc.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { Orm } from '../db/orm-types.ts'

/** What every part of the gateway is built from. */
export interface GatewayContext {
  readonly config: Config
  readonly orm: Orm
  readonly kysely: Kysely<Database>
  readonly rpc: LedgerRpc
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Stop functions of everything that was started. They run in reverse order. */
  readonly stack: AsyncDisposableStack
}
