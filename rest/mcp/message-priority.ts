import type { Priority } from '../../src/platform/overload/priority.ts'

/** The tool that sends what an owner has signed. */
export const SUBMIT_TOOL = 'submit_transaction'

/** When a message is refused where there is too much to do. */
export function messagePriority(message: unknown): Priority {
  if (typeof message !== 'object' || message === null) return 'low'
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && params?.name === SUBMIT_TOOL ? 'high' : 'low'
}
