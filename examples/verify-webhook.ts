import { createHmac, timingSafeEqual } from 'node:crypto'

/** The body of a webhook request. */
export interface WebhookEvent {
  /** The same in every delivery of this event. Store it to detect duplicates. */
  readonly id: string
  readonly type: string
  /** The account address of the agent. */
  readonly pda: string
  readonly slot: number
  /** ISO 8601. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The headers of node:http, of a Fetch request, or a plain object. Names can have any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Maximum difference between the timestamp and the local clock. 300 by default. */
  readonly toleranceSeconds?: number
  /** Milliseconds since the epoch. The current time by default. */
  readonly now?: number
}

/** `missing_header`, `malformed_header`, `wrong_signature`, `too_old`, `too_new`, `not_json`. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * For receivers: returns the event of a request that this service signed, or throws
 * WebhookVerificationError. `rawBody` is the body before any parsing. `secret` includes `whsec_`;
 * pass several while you replace one. This file has no other imports, so you can copy it.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): WebhookEvent {
  const timestamp = header(headers, 'x-service-timestamp', /^\d{1,12}$/)
  const given = Buffer.from(header(headers, 'x-service-signature', /^[0-9a-f]{64}$/), 'hex')
  const isSignedWith = (each: string): boolean =>
    timingSafeEqual(createHmac('sha256', each).update(`${timestamp}.`).update(rawBody).digest(), given)
  if (![secret].flat().map(isSignedWith).includes(true)) {
    throw new WebhookVerificationError(
      'wrong_signature',
      'The signature does not match the body, the timestamp and the secret',
    )
  }
  const ageSeconds = now / 1000 - Number(timestamp)
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('too_old', 'The timestamp is too old')
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookVerificationError('too_new', 'The timestamp is in the future. Check the clock')
  try {
    return JSON.parse(typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString()) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('not_json', 'The body is not JSON')
  }
}

function header(headers: WebhookHeaders, name: string, format: RegExp): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (value === undefined || value === null)
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing`)
  if (typeof value !== 'string' || !format.test(value))
    throw new WebhookVerificationError('malformed_header', `The header ${name} is malformed`)
  return value
}
