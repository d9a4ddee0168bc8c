/**
 * Each kind of request, the setting of its limit (per minute and client), and where it is counted.
 * `database` counts all processes together, `memory` each process on its own. Every request uses
 * `reads`, most of them one unit, and that for a file of a page `files`; the other kinds count some
 * requests in addition.
 */
export const RATE_LIMIT_KINDS = {
  reads: { setting: 'RATE_LIMIT_READS', countedIn: 'memory' },
  files: { setting: 'RATE_LIMIT_FILES', countedIn: 'memory' },
  prepare: { setting: 'RATE_LIMIT_PREPARE', countedIn: 'memory' },
  submit: { setting: 'RATE_LIMIT_SUBMIT', countedIn: 'memory' },
  sponsoredPrepare: { setting: 'RATE_LIMIT_SPONSORED_PREPARE', countedIn: 'database' },
  register: { setting: 'RATE_LIMIT_REGISTER', countedIn: 'database' },
  verify: { setting: 'RATE_LIMIT_VERIFY', countedIn: 'database' },
  authenticated: { setting: 'RATE_LIMIT_AUTHENTICATED', countedIn: 'database' },
  signIn: { setting: 'RATE_LIMIT_SIGN_IN', countedIn: 'database' },
  sends: { setting: 'RATE_LIMIT_SENDS', countedIn: 'database' },
} as const

export type RateLimitKind = keyof typeof RATE_LIMIT_KINDS

/**
 * Kinds that guard money, signatures or expensive work. `sends` is not counted per request: the
 * webhook service charges it for each delivery that a wallet requests.
 */
export type GuardedKind = Exclude<RateLimitKind, 'reads' | 'files' | 'sends'>

/** Requests per minute and client. */
export type RateLimitNumbers = Readonly<Record<RateLimitKind, number>>
