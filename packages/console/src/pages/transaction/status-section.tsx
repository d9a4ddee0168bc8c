import { Checks } from '../../ui/checks.tsx'
import { Light, Section } from '../../ui/index.ts'
import type { LedgerTransaction } from './instructions.ts'
import { adviceOf, type Prepared, stepsOf, verdictOf } from './timeline.ts'

interface StatusSectionProps {
  readonly prepared: Prepared | null
  readonly landed: LedgerTransaction | null
}

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
      <Checks checks={stepsOf(prepared, landed)} />
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
