/**
 * Each kind of request, the setting of its limit (requests per minute and client), and where it is
 * counted. `database` counts all processes together, `memory` each process on its own.
 */
export const RATE_LIMIT_KINDS = {
  reads: { setting: 'RATE_LIMIT_READS', countedIn: 'memory' },
  prepare: { setting: 'RATE_LIMIT_PREPARE', countedIn: 'memory' },
  submit: { setting: 'RATE_LIMIT_SUBMIT', countedIn: 'memory' },
  sponsoredPrepare: { setting: 'RATE_LIMIT_SPONSORED_PREPARE', countedIn: 'database' },
  register: { setting: 'RATE_LIMIT_REGISTER', countedIn: 'database' },
  verify: { setting: 'RATE_LIMIT_VERIFY', countedIn: 'database' },
  authenticated: { setting: 'RATE_LIMIT_AUTHENTICATED', countedIn: 'database' },
} as const

export type RateLimitKind = keyof typeof RATE_LIMIT_KINDS

/** Requests per minute and client. */
export type RateLimitNumbers = Readonly<Record<RateLimitKind, number>>
