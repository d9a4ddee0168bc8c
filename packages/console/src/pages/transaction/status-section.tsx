import { Light, RelativeTime, Section } from '../../ui/index.ts'
import type { LedgerTransaction } from './instructions.ts'
import css from './page.module.css'
import { adviceOf, type Prepared, stepsOf, verdictOf } from './timeline.ts'

interface StatusSectionProps {
  readonly prepared: Prepared | null
  readonly landed: LedgerTransaction | null
}

const SPOKEN = { done: 'done', now: 'in progress', later: 'not yet', failed: 'failed' }

/** The way of the transaction, and what to do if it failed. */
export function StatusSection({ prepared, landed }: StatusSectionProps) {
  const [tone, verdict] = verdictOf(prepared, landed)
  const advice = adviceOf(prepared, landed)
  return (
    <Section
      title="Status"
      aside={
        <span role="status">
          <Light tone={tone} text={verdict} />
        </span>
      }
    >
      <ol className={css.timeline}>
        {stepsOf(prepared, landed).map(({ title, state, time, text }) => (
          <li key={title} className={css[state]}>
            <h3>
              {title}
              <span className="visually-hidden">, {SPOKEN[state]}</span>
            </h3>
            {time !== null && (
              <span className="note">
                <RelativeTime value={time} />
              </span>
            )}
            <p>{text}</p>
          </li>
        ))}
      </ol>
      {advice !== null && (
        <div className="notice" data-tone="neutral">
          <p>
            <strong>What to do.</strong> {advice}
          </p>
        </div>
      )}
    </Section>
  )
}
