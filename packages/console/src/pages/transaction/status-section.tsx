import { Checks } from '../../ui/checks.tsx'
import { Light, Section } from '../../ui/index.ts'
import { adviceOf, type Shown, stepsOf, verdictOf } from './timeline.ts'

/** The way of the transaction, and what to do if it failed. */
export function StatusSection(shown: Shown) {
  const [tone, verdict] = verdictOf(shown)
  const advice = adviceOf(shown)
  return (
    <Section
      title="Status"
      aside={
        <span role="status">
          <Light tone={tone} text={verdict} />
        </span>
      }
    >
      <Checks checks={stepsOf(shown)} />
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
