import { useState } from 'react'
import { useQuery } from 'urql'
import { Histogram } from '../../ui/histogram.tsx'
import {
  Chart,
  ErrorState,
  Loaded,
  Loading,
  Section,
  Select,
  useKept,
  usePolling,
  useRead,
  withCommas,
} from '../../ui/index.ts'
import {
  EventsPerMinuteDocument,
  RegistryGrowthDocument,
  RegistryReputationDocument,
} from './charts.generated.ts'

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

/** Counting is more work than reading a page. */
const REFRESH_MS = 60_000
const thisMinute = (): number => Math.floor(Date.now() / REFRESH_MS) * REFRESH_MS

/** The number of agents over time. `since`: when the first one was registered, null without one. */
export function Growth({ since }: { readonly since: string | null }) {
  const [range, setRange] = useState<Range>('all')
  return (
    <Section
      title="Growth"
      aside={
        <Select
          label="Range"
          hideLabel
          options={OPTIONS}
          value={range}
          onChange={({ target }) => setRange(target.value as Range)}
        />
      }
    >
      <Line key={range} range={range} since={since} />
      <p className="hint">
        The agents of today, by the time of their registration. Closed agents are left out.
      </p>
    </Section>
  )
}

interface LineProps {
  readonly range: Range
  readonly since: string | null
}

/** It stays while a refresh fails. */
function Line({ range, since }: LineProps) {
  const [now, setNow] = useState(thisMinute)
  usePolling(() => setNow(thisMinute()), REFRESH_MS)
  const [{ data, error, operation }, refetch] = useQuery({
    query: RegistryGrowthDocument,
    variables: { times: timesOf(range, since, now) },
  })
  const counts = useKept(data)?.registryGrowth
  const times = useKept(data == null ? null : (operation?.variables.times as readonly string[]))
  if (counts !== undefined && times !== undefined)
    return <Chart title="Agents" points={times.map((time, i) => ({ time, value: counts[i] ?? 0 }))} />
  return error === undefined ? (
    <Loading rows={4} label="Loading the growth" />
  ) : (
    <ErrorState error={error} retry={() => refetch({ requestPolicy: 'network-only' })} />
  )
}

/** The number of agents by reputation. */
export function Reputation() {
  const read = useRead({ query: RegistryReputationDocument }, { everyMs: REFRESH_MS, keep: true })
  return (
    <Section title="Reputation">
      <Loaded read={read} data={read.data?.registryReputation} rows={4} label="Loading the reputation">
        {(ranges) => (
          <Histogram
            title="Agents by reputation"
            of="Range"
            unit="Agents"
            bars={ranges.map(({ from, to, agents }) => ({
              label: `${withCommas(from)} to ${withCommas(to)}`,
              value: agents,
            }))}
          />
        )}
      </Loaded>
    </Section>
  )
}

/** The events of the last hour. */
export function Events() {
  const read = useRead({ query: EventsPerMinuteDocument }, { everyMs: REFRESH_MS, keep: true })
  return (
    <Section title="Events per minute">
      <Loaded read={read} data={read.data?.registryEventsPerMinute} rows={4} label="Loading the events">
        {(counts) => (
          <Histogram
            title="Events per minute"
            of="Time"
            unit="Events"
            bars={counts.map((value, i) => ({ label: agoText(counts.length - 1 - i), value }))}
          />
        )}
      </Loaded>
    </Section>
  )
}

const agoText = (minutes: number): string => (minutes === 0 ? 'now' : `${minutes} min ago`)

/** Times at equal distances, up to `now`. */
function timesOf(range: Range, since: string | null, now: number): string[] {
  const first = since === null ? now - DAY_MS : Date.parse(since)
  const ms = RANGES[range].ms ?? Math.max(now - first, HOUR_MS)
  return Array.from({ length: STEPS + 1 }, (_, i) => new Date(now - ms + (ms * i) / STEPS).toISOString())
}
