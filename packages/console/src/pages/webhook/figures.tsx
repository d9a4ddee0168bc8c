import { useState } from 'react'
import { useQuery } from 'urql'
import { ErrorState, Facts, Loading, Section, Select, usePolling, withCommas } from '../../ui/index.ts'
import { WebhookFiguresDocument } from './page.generated.ts'

const PERIODS = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last day' },
  { value: '168', label: 'Last week' },
]
const REFRESH_MS = 15_000
/** Rounded down, so that 100 % has no failure. */
const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
})

/** How well and how fast the receiver answered. */
export function Figures({ id }: { readonly id: string }) {
  const [hours, setHours] = useState(24)
  const [{ data, error }, refetch] = useQuery({
    query: WebhookFiguresDocument,
    variables: { id, hours },
    requestPolicy: 'cache-and-network',
  })
  const refresh = (): void => refetch({ requestPolicy: 'network-only' })
  usePolling(refresh, REFRESH_MS)
  const figures = data?.webhook?.figures
  return (
    <Section
      title="Receiver"
      lead="Attempts of the newest 2,000 deliveries."
      aside={
        <Select
          label="Period of the figures"
          hideLabel
          options={PERIODS}
          value={String(hours)}
          onChange={({ target }) => setHours(Number(target.value))}
        />
      }
    >
      {error !== undefined ? (
        <ErrorState error={error} retry={refresh} />
      ) : figures === undefined ? (
        <Loading rows={1} label="Loading the figures" />
      ) : (
        <Facts
          facts={[
            ['Attempts', withCommas(figures.attempts)],
            [
              'Succeeded',
              figures.attempts === 0 ? '–' : PERCENT.format(figures.succeeded / figures.attempts),
            ],
            ['Half within', timeText(figures.p50Ms)],
            ['95% within', timeText(figures.p95Ms)],
          ]}
        />
      )}
    </Section>
  )
}

const timeText = (ms: number | null): string => (ms === null ? '–' : `${withCommas(ms)} ms`)
