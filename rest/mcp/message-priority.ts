import type { Priority } from '../../src/platform/overload/admission.ts'

/** The tools that send signed transactions. */
export const SUBMIT_TOOL = 'submit_transaction'
export const SUBMIT_REGISTRATION_TOOL = 'submit_sponsored_registration'

const HIGH = new Set<unknown>([SUBMIT_TOOL, SUBMIT_REGISTRATION_TOOL])

/** The priority of an MCP message under overload. */
export function messagePriority(message: unknown): Priority {
  if (typeof message !== 'object' || message === null) return 'low'
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && HIGH.has(params?.name) ? 'high' : 'low'
}
