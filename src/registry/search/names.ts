import type { Logger } from '../../platform/logger.ts'
import type { AgentsCopy } from '../agents-copy.ts'
import { NameThread } from './name-thread.ts'

export interface Names {
  /**
   * Starts a thread for the copy that answers reads, and again if it ended or is stuck. Stops it if
   * there is no copy. Must be called now and then, with the memory of the copy.
   */
  keep(agents: AgentsCopy | null, copyBytes?: number): void
  stop(): Promise<void>
}

export interface NamesOptions {
  readonly maxBytes: number
  readonly logger: Logger
  readonly minNames?: number
}

/** PostgreSQL searches fewer agents in a millisecond. */
export const MIN_NAMES = 1_000
/** Between starts. */
const RESTART_MS = 3_000
/** After the names were too large. */
const TOO_LARGE_MS = 600_000

export function createNames({ maxBytes, logger, minNames = MIN_NAMES }: NamesOptions): Names {
  let kept: AgentsCopy | null = null
  let notBefore = 0

  async function stop(): Promise<void> {
    const thread = kept?.names
    if (kept !== null) kept.names = null
    await thread?.stop()
  }

  async function start(agents: AgentsCopy): Promise<void> {
    const started = performance.now()
    notBefore = started + RESTART_MS
    const thread = new NameThread(agents, logger)
    agents.names = thread
    if (await thread.fill())
      logger.info(
        { bytes: thread.bytes, loadMs: Math.round(performance.now() - started) },
        'names are in memory',
      )
  }

  return {
    stop,
    keep: (agents, copyBytes = 0) => {
      const thread = kept?.names ?? null
      if (agents !== kept || thread?.isAlive === false) void stop()
      kept = agents
      if (agents === null) return
      if (thread !== null && thread.bytes + copyBytes > maxBytes) {
        logger.warn(`PostgreSQL searches by name: a copy with names needs more than ${maxBytes} bytes`)
        notBefore = performance.now() + TOO_LARGE_MS
        void stop()
      }
      if (agents.names === null && agents.size >= minNames && performance.now() >= notBefore)
        void start(agents)
      agents.names?.flush()
    },
  }
}
