import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a webhook's body holds. */
export interface WebhookEvent {
  /** The same for every delivery of one event: keep it, to know an event that arrives again. */
  readonly id: string
  readonly type: string
  /** The agent's account. */
  readonly pda: string
  readonly slot: number
  /** ISO 8601. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Headers of node:http, of a Fetch request, or a plain object, in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How old, or ahead of the clock here, a delivery may be. 300 by default. */
  readonly toleranceSeconds?: number
  /** Milliseconds since the epoch; the time now by default. */
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
 * For receivers: the event of a delivery that this service signed; throws WebhookVerificationError for anything else. `rawBody`: as it
 * arrived, before any parsing. `secret`: as it was shown, `whsec_` included; several while one is being replaced.
 * This file imports nothing of the service: it can be copied.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): WebhookEvent {
  const timestamp = header(headers, 'x-service-timestamp', /^\d{1,12}$/)
  const given = Buffer.from(header(headers, 'x-service-signature', /^[0-9a-f]{64}$/), 'hex')
  const signedWith = (each: string): boolean =>
    timingSafeEqual(createHmac('sha256', each).update(`${timestamp}.`).update(rawBody).digest(), given)
  if (![secret].flat().map(signedWith).includes(true)) {
    throw new WebhookVerificationError(
      'wrong_signature',
      'The signature is not of this body, time and secret',
    )
  }
  const ageSeconds = now / 1000 - Number(timestamp)
  if (ageSeconds > toleranceSeconds) throw new WebhookVerificationError('too_old', 'The delivery is too old')
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookVerificationError('too_new', 'The delivery is of a time to come: check the clock')
  }
  try {
    return JSON.parse(typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString()) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('not_json', 'The body is not JSON')
  }
}

function header(headers: WebhookHeaders, name: string, form: RegExp): string {
  const found =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (found === undefined || found === null) {
    throw new WebhookVerificationError('missing_header', `The header ${name} is missing`)
  }
  if (typeof found !== 'string' || !form.test(found)) {
    throw new WebhookVerificationError('malformed_header', `The header ${name} is malformed`)
  }
  return found
}
