import { concat, fromBase64, fromHex, utf8 } from '@agent-registry/solana/wire'
import type { WebhookEvent } from '../generated/api.ts'
import { parseJson } from '../http/json.ts'

export type { WebhookEvent } from '../generated/api.ts'

/** The headers of a Fetch request or of node:http. Names can have any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyWebhookOptions {
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

interface Signed {
  readonly timestamp: string
  /** What comes before the body in the signed content. */
  readonly prefix: string
  /** One of them must match. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
}

/**
 * Returns the event of a request that the gateway signed. Amounts are bigint. Throws
 * WebhookVerificationError for all others. `rawBody` is the body before any parsing. `secret`
 * includes `whsec_`; pass several while you replace one. Uses the headers `X-Service-*`, or else
 * those of Standard Webhooks.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const read = reader(headers)
  const isStandard = read('x-service-signature') === null && read('webhook-signature') !== null
  const { timestamp, prefix, signatures } = isStandard ? standardScheme(read) : serviceScheme(read)
  const body = typeof rawBody === 'string' ? utf8(rawBody) : rawBody
  const content = concat(utf8(prefix), body)
  const checks = [secret].flat().flatMap((each) => {
    const key = isStandard ? base64Bytes(each.replace(/^whsec_/, '')) : utf8(each)
    return signatures.map((signature) => isSignedWith(key, signature, content))
  })
  if (!(await Promise.all(checks)).includes(true))
    fail('wrong_signature', 'The signature does not match the body, the timestamp and the secret')
  const ageSeconds = now / 1000 - Number(timestamp)
  if (ageSeconds > toleranceSeconds) fail('too_old', 'The timestamp is too old')
  if (ageSeconds < -toleranceSeconds) fail('too_new', 'The timestamp is in the future. Check the clock')
  try {
    return parseJson(new TextDecoder().decode(body)) as WebhookEvent
  } catch {
    return fail('not_json', 'The body is not JSON')
  }
}

type Read = (name: string) => string | null

function serviceScheme(read: Read): Signed {
  const timestamp = required(read, 'x-service-timestamp', /^\d{1,12}$/)
  const hex = required(read, 'x-service-signature', /^[0-9a-f]{64}$/)
  return { timestamp, prefix: `${timestamp}.`, signatures: [fromHex(hex)] }
}

/** https://www.standardwebhooks.com */
function standardScheme(read: Read): Signed {
  const id = required(read, 'webhook-id', /^[^.\s]{1,256}$/)
  const timestamp = required(read, 'webhook-timestamp', /^\d{1,12}$/)
  const header = required(read, 'webhook-signature', /^[\w,+/= -]{1,2000}$/)
  const signatures = header
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => base64Bytes(each.slice(3)))
  return { timestamp, prefix: `${id}.${timestamp}.`, signatures }
}

/** `subtle.verify` compares in constant time. */
async function isSignedWith(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, content)
}

/** Secrets that are older than the Standard Webhooks headers can have the alphabet of base64url. */
function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text)
  } catch {
    return fail('malformed_header', 'A secret or signature is not base64')
  }
}

function reader(headers: WebhookHeaders): Read {
  return (name) => {
    const value =
      typeof headers.get === 'function'
        ? headers.get(name)
        : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
    if (value === undefined || value === null) return null
    return typeof value === 'string' ? value : fail('malformed_header', `The header ${name} is repeated`)
  }
}

function required(read: Read, name: string, format: RegExp): string {
  const value = read(name) ?? fail('missing_header', `The header ${name} is missing`)
  return format.test(value) ? value : fail('malformed_header', `The header ${name} is malformed`)
}

function fail(code: string, message: string): never {
  throw new WebhookVerificationError(code, message)
}
