// receiver.ts: a webhook receiver with Hono. Node.js 22.18 or newer runs it: node receiver.ts
// WEBHOOK_SECRET is the secret of the webhook.
import { serve } from '@hono/node-server'
import { verifyWebhook, WebhookVerificationError } from '@agent-registry/client/webhooks'
import { Hono } from 'hono'

const { WEBHOOK_SECRET = '', PORT = '8080' } = process.env
const app = new Hono()
// In production, store the ids in a database.
const seen = new Set<string>()

app.post('/', async (context) => {
  try {
    // The text as it arrived: a parsed and serialized body has another signature.
    const event = await verifyWebhook(await context.req.text(), context.req.raw.headers, WEBHOOK_SECRET)
    if (!seen.has(event.id)) console.log(event.type, event.pda, JSON.stringify(event.data))
    seen.add(event.id)
    return context.body(null, 200)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    console.log('refused:', error.code)
    return context.body(null, 400)
  }
})

serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) =>
  console.log('listening', port),
)
