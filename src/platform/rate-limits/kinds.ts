/** Each kind of request and where it is counted. The numbers are settings, requests a minute per client. */
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

/** Requests a minute of each kind. */
export type RateLimitNumbers = Readonly<Record<RateLimitKind, number>>
