import { useQuery } from 'urql'
import { Link, RelativeTime } from '../../ui/index.ts'
import { type WebhookDetailsFragment, WebhookLogDocument } from './page.generated.ts'

const REASONS = {
  FAILING: 'All deliveries failed for 5 days.',
  GONE: 'Your receiver responded with the status 410, which means that it is gone.',
}

/** Says why nothing arrives, and the way back. */
export function Warning({ webhook }: { readonly webhook: WebhookDetailsFragment }) {
  const { id, active, disabledAt, disabledReason } = webhook
  const [{ data }] = useQuery({ query: WebhookLogDocument, variables: { id, first: 25, after: null } })
  const latest = data?.webhookDeliveries?.nodes.find(
    ({ attemptCount, eventType }) => attemptCount > 0 && eventType !== 'PING',
  )
  const isFailing = latest !== undefined && ['RETRYING', 'FAILED'].includes(latest.status)
  if (disabledAt)
    return (
      <div className="notice" data-tone="bad" role="status">
        <h2>The service disabled this webhook</h2>
        <p>
          {disabledReason ? REASONS[disabledReason] : ''} This was <RelativeTime value={disabledAt} />.
        </p>
        <p>Repair your receiver, activate the webhook, then recover the failed deliveries.</p>
      </div>
    )
  if (!active)
    return (
      <div className="notice" data-tone="warn" role="status">
        <h2>This webhook is paused</h2>
        <p>No events are sent to it. Activate it, then recover the deliveries that it missed.</p>
      </div>
    )
  if (!isFailing) return null
  return (
    <div className="notice" data-tone="warn" role="status">
      <h2>The last delivery failed</h2>
      <p>
        {latest.status === 'RETRYING'
          ? 'The gateway repeats it. If all deliveries fail for 5 days, it disables the webhook.'
          : 'It is not repeated by itself. Repair your receiver, then recover the failed deliveries.'}{' '}
        <Link href={`/webhooks/${id}/deliveries/${latest.id}`}>See what your receiver answered</Link>.
      </p>
    </div>
  )
}
