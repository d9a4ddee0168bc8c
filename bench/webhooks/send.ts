import { Agent } from 'undici'
import { deliveryHeaders } from '../../src/webhooks/sign.ts'
import type { Send } from '../../src/webhooks/worker/sender.ts'

export function createBenchSend(): { send: Send; close: () => Promise<void> } {
  const agent = new Agent({ connections: 4 })
  return {
    close: () => agent.close(),
    send: async ({ url, secret, event }) => {
      const began = performance.now()
      const { origin, pathname } = new URL(url)
      const timestamp = Math.floor(Date.now() / 1000)
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname,
        method: 'POST',
        body: event.body,
        headers: {
          'content-type': 'application/json',
          ...deliveryHeaders({ secret, timestamp, body: event.body, type: event.type }),
        },
      })
      const excerpt = await body.text()
      const outcome = statusCode === 200 ? 'success' : 'failure'
      return { outcome, status: statusCode, excerpt, durationMs: performance.now() - began }
    },
  }
}
