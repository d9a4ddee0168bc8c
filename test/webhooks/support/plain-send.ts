import { createHmac } from 'node:crypto'
import type { Send } from '../../../src/webhooks/worker/sender.ts'

/** A sender of the test's own: signs and posts with `fetch`, without a guard. */
export function plainSend(deadlineMs: number): Send {
  return async ({ url, secret, event, deliveryId, attempt }) => {
    const began = performance.now()
    const durationMs = (): number => performance.now() - began
    const timestamp = String(Math.floor(Date.now() / 1000))
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
        body: event.body,
        headers: {
          'content-type': 'application/json',
          'x-service-event': event.type,
          'x-service-timestamp': timestamp,
          'x-service-signature': createHmac('sha256', secret)
            .update(`${timestamp}.${event.body}`)
            .digest('hex'),
          'x-service-delivery': deliveryId,
          'x-service-attempt': String(attempt),
        },
      })
      const excerpt = await response.text()
      const { status } = response
      const retryAfter = response.headers.get('retry-after')
      return {
        outcome: response.ok ? 'success' : status === 410 ? 'gone' : 'failure',
        status,
        excerpt,
        durationMs: durationMs(),
        ...(retryAfter === null ? {} : { retryAfterMs: Number(retryAfter) * 1_000 }),
      }
    } catch (error) {
      const errorCode = (error as Error).name === 'TimeoutError' ? 'timeout' : 'connect_error'
      return { outcome: 'failure', errorCode, durationMs: durationMs() }
    }
  }
}
