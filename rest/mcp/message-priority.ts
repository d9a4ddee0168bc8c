import type { Priority } from '../../src/platform/overload/priority.ts'

/** The tool that sends signed transactions. */
export const SUBMIT_TOOL = 'submit_transaction'

/** The priority of an MCP message under overload. */
export function messagePriority(message: unknown): Priority {
  if (typeof message !== 'object' || message === null) return 'low'
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && params?.name === SUBMIT_TOOL ? 'high' : 'low'
}
