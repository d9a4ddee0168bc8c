import { ChoiceSection, Facts, Loaded, PERIODS, useRead, withCommas } from '../../ui/index.ts'
import { WebhookFiguresDocument, type WebhookFiguresQueryVariables } from './page.generated.ts'

const REFRESH_MS = 15_000
/** Rounded down, so that 100 % has no failure. */
const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
})

/** How well and how fast the receiver answered. */
export const Figures = ({ id }: { readonly id: string }) => (
  <ChoiceSection
    title="Response times and success"
    lead="Attempts of the newest 2,000 deliveries."
    label="Period of the figures"
    options={PERIODS}
    initial="24"
  >
    {(hours) => <Attempts variables={{ id, hours: Number(hours) }} />}
  </ChoiceSection>
)

function Attempts({ variables }: { readonly variables: WebhookFiguresQueryVariables }) {
  const query = { query: WebhookFiguresDocument, variables }
  const read = useRead(query, { everyMs: REFRESH_MS })
  return (
    <Loaded read={read} data={read.data?.webhook?.figures} rows={1} label="Loading the figures">
      {({ attempts, succeeded, p50Ms, p95Ms }) => (
        <Facts
          facts={{
            Attempts: withCommas(attempts),
            Succeeded: attempts === 0 ? '–' : PERCENT.format(succeeded / attempts),
            Median: timeText(p50Ms),
            '95th percentile': timeText(p95Ms),
          }}
        />
      )}
    </Loaded>
  )
}

const timeText = (ms: number | null): string => (ms === null ? '–' : `${withCommas(ms)} ms`)
