import type { Services } from '../src/compose/services.ts'
import type { Logger } from '../src/platform/logger.ts'
import type { Metrics } from '../src/platform/metrics/metrics.ts'
import type { Operation } from './documents/documents.ts'
import type { Executor } from './execute.ts'
import type { ConnectionLimits } from './plugins/connections.ts'

/** What the routes need of the process. */
export interface RestContext {
  readonly services: Services
  readonly logger: Logger
  readonly metrics: Metrics
  /** Public URL of the service. Null if it is unknown; paths are then relative. */
  readonly baseUrl: string | null
  readonly executor: Executor
  readonly connectionLimits: ConnectionLimits
  /** Operations of the operator (documents/operators.ts). */
  readonly operatorDocuments: readonly Operation[]
  /** Whether the process runs a localnet, whose fields are then in the schema. */
  readonly hasLocalnet: boolean
}
