import { useState } from 'react'
import { Facts, Loaded, Section, Select, useRead, withCommas } from '../../ui/index.ts'
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
  const variables = { id, hours }
  const query = { query: WebhookFiguresDocument, variables, requestPolicy: 'cache-and-network' } as const
  const read = useRead(query, { everyMs: REFRESH_MS })
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
      <Loaded read={read} data={read.data?.webhook?.figures} rows={1} label="Loading the figures">
        {({ attempts, succeeded, p50Ms, p95Ms }) => (
          <Facts
            facts={[
              ['Attempts', withCommas(attempts)],
              ['Succeeded', attempts === 0 ? '–' : PERCENT.format(succeeded / attempts)],
              ['Half within', timeText(p50Ms)],
              ['95% within', timeText(p95Ms)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

const timeText = (ms: number | null): string => (ms === null ? '–' : `${withCommas(ms)} ms`)
