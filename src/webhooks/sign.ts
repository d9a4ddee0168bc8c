import { createHmac } from 'node:crypto'

export interface SignedDelivery {
  /** The subscription's secret as its owner was shown it, `whsec_` included: the key is the UTF-8 bytes of this text. */
  readonly secret: string
  /** Unix time in seconds. */
  readonly timestamp: number
  /** The body's bytes as they are sent. */
  readonly body: string | Uint8Array
}

/** Hex HMAC-SHA256 of `<timestamp>.<body>` (contract, "Delivery"). */
export function signDelivery({ secret, timestamp, body }: SignedDelivery): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}
