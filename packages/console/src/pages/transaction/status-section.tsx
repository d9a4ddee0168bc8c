import { Badge, classes, RelativeTime, Section } from '../../ui/index.ts'
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
          <Badge tone={tone} dot>
            {verdict}
          </Badge>
        </span>
      }
    >
      <ol className={css.timeline}>
        {stepsOf(prepared, landed).map(({ title, state, time, text }) => (
          <li key={title} className={classes(css.step, css[state])}>
            <h3>
              {title}
              <span className="visually-hidden">, {SPOKEN[state]}</span>
            </h3>
            {time !== null && (
              <span className={css.time}>
                <RelativeTime value={time} />
              </span>
            )}
            <p>{text}</p>
          </li>
        ))}
      </ol>
      {advice !== null && (
        <p className={css.advice}>
          <strong>What to do.</strong> {advice}
        </p>
      )}
    </Section>
  )
}
