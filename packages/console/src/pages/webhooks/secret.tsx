import { Button, CodeBlock, CodeTabs, Dialog } from '../../ui/index.ts'
import { RECEIVERS } from './receivers.generated.ts'

interface SecretDialogProps {
  readonly title: string
  readonly webhookId: string
  readonly secret: string
  /** The secret before this one is still valid. */
  readonly keepsOld?: boolean
  readonly onStored: () => void
}

/** Shows a new secret once. Escape does not close it: a lost secret must be replaced. */
export function SecretDialog({ title, webhookId, secret, keepsOld, onStored }: SecretDialogProps) {
  const name = secretName(webhookId)
  return (
    <Dialog title={title} locked onClose={onStored}>
      <div className="stack">
        <p>
          Your receiver needs this secret to verify requests. It is shown only now. Store it in the
          environment of your receiver, not in its code.
        </p>
        <CodeBlock label="Secret" code={secret} />
        {keepsOld && (
          <p>
            Until the old secret ends, <code>X-Service-Signature</code> is made with the old one, and{' '}
            <code>webhook-signature</code> with both. So do not remove the old one yet: accept a request that
            either secret verifies.
          </p>
        )}
        <p>
          The code below reads the secret from the environment variable <code>{name}</code>.
        </p>
        <CodeTabs label="Verification code" codes={verificationCode(name)} />
        <div className="row">
          <Button look="primary" onClick={onStored}>
            I stored it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

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
