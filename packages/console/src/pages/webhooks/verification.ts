import { RECEIVERS } from './receivers.generated.ts'

const TYPESCRIPT = `import { verifyWebhook } from '@agent-registry/client/webhooks'

export async function receive(request: Request): Promise<Response> {
  try {
    // The text as it arrived, before any parsing.
    const rawBody = await request.text()
    const event = await verifyWebhook(rawBody, request.headers, process.env.WEBHOOK_SECRET!)
    console.log(event.type, event.id)
    return new Response()
  } catch {
    return new Response(null, { status: 400 })
  }
}`

/** The name of the environment variable that holds the secret of a webhook. */
export function secretName(webhookId?: string): string {
  return webhookId === undefined ? 'WEBHOOK_SECRET' : `WEBHOOK_SECRET_${webhookId.slice(0, 8).toUpperCase()}`
}

/** The code of the guide, which reads the secret from this variable. */
export function verificationCode(name: string): Record<string, string> {
  const codes = Object.entries({ TypeScript: TYPESCRIPT, ...RECEIVERS })
  return Object.fromEntries(codes.map(([title, code]) => [title, code.replace(secretName(), name)]))
}
