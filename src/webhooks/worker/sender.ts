/** What the worker needs of the part that sends. */
export interface SendRequest {
  readonly url: string
  /** The signing secret in clear. */
  readonly secret: string
  readonly event: {
    readonly id: string
    readonly type: string
    /** The exact text to sign and send. */ readonly body: string
  }
  readonly deliveryId: string
  /** From 1. */
  readonly attempt: number
}

export interface AttemptResult {
  /** `gone` is an answer 410. */
  readonly outcome: 'success' | 'failure' | 'gone'
  readonly status?: number | undefined
  /** Why there was no answer: timeout, dns_error, connect_error, tls_error, ssrf_blocked and the like. */
  readonly errorCode?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly excerpt?: string | undefined
  readonly durationMs: number
}

/** Sends once. Whatever the receiver does is a result; a rejection is a defect of ours. */
export type Send = (request: SendRequest) => Promise<AttemptResult>

/** Opens a stored secret; throws when the key is not the one it was closed with. */
export type OpenSecret = (encrypted: Buffer, subscriptionId: string) => string

const NO_RECEIVER: ReadonlySet<string> = new Set(['timeout', 'dns_error', 'connect_error', 'tls_error'])

/** Whether the attempt found nobody who answers: what the breaker counts. */
export function foundNobody({ status, errorCode }: AttemptResult): boolean {
  return status === undefined && errorCode !== undefined && NO_RECEIVER.has(errorCode)
}
