import { useState } from 'react'
import { useQuery } from 'urql'
import type { ChartProps } from '../../ui/chart.tsx'
import { ErrorState, Loading, Section, Select, useLazy } from '../../ui/index.ts'
import { RegistryGrowthDocument } from './page.generated.ts'
import css from './page.module.css'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How far back each range goes. Null: to the first agent. */
const RANGES = {
  all: { label: 'All time', ms: null },
  year: { label: 'Year', ms: 365 * DAY_MS },
  month: { label: 'Month', ms: 30 * DAY_MS },
  week: { label: 'Week', ms: 7 * DAY_MS },
  day: { label: 'Day', ms: DAY_MS },
} as const
type Range = keyof typeof RANGES
const STEPS = 30
const OPTIONS = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))
const loadChart = () => import('../../ui/chart.tsx')

interface GrowthProps {
  /** When the first agent was registered. Null without one. */
  readonly since: string | null
  /** How many there are now. */
  readonly agents: number
}

/** The number of agents over time. */
export function Growth({ since, agents }: GrowthProps) {
  const [range, setRange] = useState<Range>('all')
  const [now] = useState(Date.now)
  const times = timesOf(range, since, now)
  const [{ data, error }, refetch] = useQuery({ query: RegistryGrowthDocument, variables: { times } })
  const counts = data?.registryGrowth
  return (
    <Section
      title="Growth"
      aside={
        <span className={css.range}>
          <Select
            label="Range"
            hideLabel
            options={OPTIONS}
            value={range}
            onChange={({ target }) => setRange(target.value as Range)}
          />
        </span>
      }
    >
      {error !== undefined ? (
        <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })} />
      ) : counts === undefined ? (
        <Loading rows={4} label="Loading the growth" />
      ) : (
        <LazyChart
          title="Agents"
          points={[
            ...times.map((time, i) => ({ time, value: counts[i] ?? 0 })),
            { time: new Date(now).toISOString(), value: agents },
          ]}
        />
      )}
      <p className={css.hint}>When today’s agents were registered. Closed agents do not count.</p>
    </Section>
  )
}

/** Times at equal distances, without the end. */
function timesOf(range: Range, since: string | null, now: number): string[] {
  const first = since === null ? now - DAY_MS : Date.parse(since)
  const ms = RANGES[range].ms ?? Math.max(now - first, HOUR_MS)
  return Array.from({ length: STEPS }, (_, i) => new Date(now - ms + (ms * i) / STEPS).toISOString())
}

function LazyChart(props: ChartProps) {
  const chart = useLazy(loadChart)
  return chart === null ? <Loading rows={4} label="Loading the chart" /> : <chart.default {...props} />
}
