import { useState } from 'react'
import { EventList } from '../../events/event-list.tsx'
import { NewestEventsDocument } from '../../events/events.generated.ts'
import { DISTINCT_TYPES } from '../../events/types.ts'
import Chart, { minute } from '../../ui/chart.tsx'
import { Histogram } from '../../ui/histogram.tsx'
import { ChoiceSection, optionsOf, PERIODS, Section } from '../../ui/index.ts'
import { Loaded, usePolling, useRead } from '../../ui/reads.ts'
import { usdc, withCommas } from '../../ui/values.ts'
import {
  EventCountsDocument,
  RegistryOverTimeDocument,
  RegistryReputationDocument,
} from './charts.generated.ts'

const HOUR_MS = 3_600_000
/** How many hours back each range goes. Null: to the first agent. */
const RANGES = { all: null, year: 8_760, month: 720, week: 168, day: 24 } as const
const STEPS = 30
/** Two charts are as high as the best agents beside them. */
const HEIGHT = 115

/** Counting is more work than reading a page. */
const REFRESH_MS = 60_000
const thisMinute = (): number => Math.floor(Date.now() / REFRESH_MS) * REFRESH_MS

interface GrowthProps {
  /** When the first agent was registered, null without one. */
  readonly since: string | null
}

export const Growth = ({ since }: GrowthProps) => (
  <ChoiceSection title="Growth" label="Range" options={optionsOf(Object.keys(RANGES))} initial="all">
    {(range) => <Lines key={range} range={range as keyof typeof RANGES} since={since} />}
  </ChoiceSection>
)

function Lines({ range, since }: GrowthProps & { readonly range: keyof typeof RANGES }) {
  const [now, setNow] = useState(thisMinute)
  usePolling(() => setNow(thisMinute()), REFRESH_MS)
  const variables = { times: timesOf(RANGES[range], since, now) }
  const read = useRead({ query: RegistryOverTimeDocument, variables }, { keep: true })
  const points = (values: readonly (number | string)[]) =>
    values.map((value, i) => ({ time: read.variables!.times[i]!, value: Number(value) }))
  return (
    <Loaded read={read} data={read.data} rows={8} label="Loading the growth">
      {({ registryGrowth, registryStake }) => (
        <>
          <p className="note">Agents now registered, by date of registration</p>
          <Chart title="Agents" points={points(registryGrowth)} height={HEIGHT} />
          <p className="note">USDC staked, by the hour</p>
          <Chart title="USDC staked" points={points(registryStake)} height={HEIGHT} format={usdc} />
        </>
      )}
    </Loaded>
  )
}

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

/** What each column of a period is. */
const COLUMNS: Record<string, string> = { 1: 'minute', 24: 'hour', 168: 'two hours' }

export const Events = () => (
  <ChoiceSection title="Events" label="Period of the events" options={PERIODS} initial="1">
    {(hours) => <EventBars key={hours} hours={hours} />}
  </ChoiceSection>
)

function EventBars({ hours }: { readonly hours: string }) {
  const query = { query: EventCountsDocument, variables: { hours: Number(hours) } }
  const read = useRead(query, { everyMs: REFRESH_MS, keep: true })
  return (
    <Loaded read={read} data={read.data?.registryEventCounts} rows={4} label="Loading the events">
      {(counts) => (
        <Histogram
          title={`Events per ${COLUMNS[hours]}`}
          of="From"
          unit="Events"
          bars={counts.map(({ from, events }) => ({ label: minute.format(Date.parse(from)), value: events }))}
        />
      )}
    </Loaded>
  )
}

/** Times at equal distances, up to `now`. */
function timesOf(hours: number | null, since: string | null, now: number): string[] {
  const first = since === null ? now - 24 * HOUR_MS : Date.parse(since)
  const ms = hours === null ? Math.max(now - first, HOUR_MS) : hours * HOUR_MS
  return Array.from({ length: STEPS + 1 }, (_, i) => new Date(now - ms + (ms * i) / STEPS).toISOString())
}

const NEWEST_MS = 10_000
const NEWEST = { query: NewestEventsDocument, variables: { filter: { types: DISTINCT_TYPES }, first: 8 } }

export function Newest() {
  const read = useRead(NEWEST, { everyMs: NEWEST_MS, keep: true })
  return (
    <Loaded read={read} data={read.data?.registryEvents.nodes} rows={6} label="Loading the changes">
      {(events) =>
        events.length === 0 ? (
          <p className="hint">Nothing happened yet.</p>
        ) : (
          <EventList label="Newest changes" events={events} withAgent />
        )
      }
    </Loaded>
  )
}
