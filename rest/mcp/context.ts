import type { Caller } from '../../src/identity/sessions/session.ts'
import type { Logger } from '../../src/platform/logger.ts'
import type { Priority } from '../../src/platform/overload/admission.ts'
import type { Services } from '../../src/services.ts'

/** The client that a server belongs to. */
export interface McpContext {
  readonly services: Services
  readonly clientIp: string
  readonly logger: Pick<Logger, 'error'>
  /** Throws RATE_LIMITED and the errors of wallet auth. */
  readonly authenticate: () => Promise<Caller>
  /** `modern`: protocol 2026-07-28 and later. */
  readonly era: 'legacy' | 'modern'
  /** Counts a call as in flight until the result is called. Throws OVERLOADED. */
  readonly admit: (priority: Priority) => () => void
}
