import { Badge, CodeBlock, Facts, RelativeTime, Status } from '../../ui/index.ts'
import type { DeliveryFieldsFragment } from './page.generated.ts'
import { responseOf, TRIGGERS } from './response.ts'

/** What happened in each request to the receiver, newest first. */
export function Attempts({ delivery }: { readonly delivery: DeliveryFieldsFragment }) {
  if (delivery.attempts.length === 0) return <p className="hint">No attempt was made yet.</p>
  return (
    <ol className="stack divided" aria-label="Attempts">
      {delivery.attempts.map((attempt) => (
        <li key={`${attempt.number} ${attempt.startedAt}`} className="stack tight">
          <div className="row">
            <h3>Attempt {attempt.number}</h3>
            <Status value={attempt.outcome === 'FAILURE' ? 'FAILED' : attempt.outcome} />
            <Badge>{TRIGGERS[attempt.trigger]}</Badge>
          </div>
          <Facts
            facts={{
              Response: responseOf(attempt),
              Body: attempt.responseStatus && !attempt.responseExcerpt && 'None, or not text',
              Duration: `${attempt.durationMs} ms`,
              Started: <RelativeTime value={attempt.startedAt} />,
              'Next attempt': attempt.nextAttemptAt ? <RelativeTime value={attempt.nextAttemptAt} /> : 'None',
            }}
          />
          {attempt.responseExcerpt && (
            <CodeBlock
              label={`Start of the response to attempt ${attempt.number}`}
              code={attempt.responseExcerpt}
            />
          )}
        </li>
      ))}
    </ol>
  )
}
