import { createHmac } from 'node:crypto'

export interface SignedDelivery {
  /** The secret as its owner received it, including `whsec_`. */
  readonly secret: string
  /** Unix time in seconds. */
  readonly timestamp: number
  /** The bytes of the body as they are sent. */
  readonly body: string | Uint8Array
}

/**
 * Returns the hex HMAC-SHA256 of `<timestamp>.<body>` (contract, "Delivery"). The key is the secret
 * as UTF-8.
 */
export function signDelivery({ secret, timestamp, body }: SignedDelivery): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/**
 * Returns the header `webhook-signature` of Standard Webhooks: the base64 HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`. The key is what follows `whsec_`, decoded from base64. Old secrets are
 * in the URL alphabet, which Node decodes too.
 */
export function signStandard({ secret, timestamp, body, id }: SignedDelivery & { id: string }): string {
  // As text, because a key in a Buffer takes Node three times as long.
  const hmac = createHmac('sha256', secret.replace(/^whsec_/, ''), { encoding: 'base64' })
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}
