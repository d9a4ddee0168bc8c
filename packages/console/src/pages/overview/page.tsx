import { useState } from 'react'
import { Bars, ButtonLink, Figures, lazily, Page, Section } from '../../ui/index.ts'
import { Loaded, useRead } from '../../ui/reads.ts'
import { Link, Tier, usdc, withCommas, words } from '../../ui/values.ts'
import { OverviewDocument, type OverviewQuery } from './page.generated.ts'
import css from './page.module.css'

const REFRESH_MS = 10_000
const WIDTH = 100
const MAX_REPUTATION = 1_000
const EXAMPLE = `const { agents } = await registry.agents.list({ sort: 'reputation', limit: 10 }).page()
console.log(agents)`

/** The first page: what is in the registry, and what happens there. */
export default function OverviewPage() {
  const read = useRead({ query: OverviewDocument }, { everyMs: REFRESH_MS, keep: true })
  return (
    <Page
      title="Overview"
      lead="AI agents that are registered on Solana: what they do, how much they staked, and how they behaved."
      request={{ document: OverviewDocument, client: EXAMPLE }}
      actions={
        <ButtonLink to="/start" look="primary">
          Get started
        </ButtonLink>
      }
    >
      <Loaded read={read} data={read.data} rows={12} label="Loading the registry">
        {(data) => <Registry data={data} />}
      </Loaded>
    </Page>
  )
}

function Registry({ data }: { readonly data: OverviewQuery }) {
  const { registryStats: stats, best, oldest } = data
  const active = stats.byStatus.find(({ status }) => status === 'ACTIVE')?.agents ?? 0
  return (
    <div className="stack">
      <Figures
        figures={{
          Agents: withCommas(stats.agents),
          Active: withCommas(active),
          'USDC staked': usdc(stats.depositedAmount),
          'USDC to be withdrawn': usdc(stats.pendingWithdrawals),
        }}
      />
      {stats.mismatchedAgents > 0 && (
        <p className="hint">
          Lists leave out <Link href="/agents?mismatched=true">agents with a mismatched card</Link>:{' '}
          {withCommas(stats.mismatchedAgents)}.
        </p>
      )}
      <div className="pair">
        <Growth since={oldest.nodes[0]?.createdAt ?? null} />
        <Section title="Best reputation" aside={<Link href="/agents">All agents</Link>}>
          {best.nodes.length === 0 ? (
            <p className="hint">
              {stats.agents === 0 && 'No agent is registered yet. '}
              <Link href="/register">Register an agent</Link>
            </p>
          ) : (
            <Best agents={best.nodes} />
          )}
        </Section>
      </div>
      <div className="grid">
        <div className="stack">
          <Counts title="Tiers" rows={stats.byTier.toReversed()} filter="tier" />
          <Counts title="Status" rows={stats.byStatus} filter="status" />
        </div>
        <Counts
          title="Categories"
          rows={stats.byCategory.toSorted((one, other) => other.agents - one.agents)}
          filter="category"
        />
        <div className="stack">
          <Reputation />
          <Events />
        </div>
      </div>
      <Section title="Newest changes" aside={<Link href="/live">Live</Link>}>
        <Newest />
      </Section>
    </div>
  )
}

type Agents = OverviewQuery['best']['nodes']

/** The agents of the best reputation, each with its last changes. */
function Best({ agents }: { readonly agents: Agents }) {
  return (
    <Bars
      caption="Agents of the best reputation"
      bars={agents.map(({ pda, name, tier, reputationScore, history }) => ({
        key: pda,
        label: name,
        detail: <Tier value={tier} />,
        to: `/agents/${pda}`,
        value: reputationScore,
        drawing: <Sparkline now={reputationScore} changes={history.nodes} />,
      }))}
    />
  )
}

type Changes = Agents[number]['history']['nodes']

/** The last changes of the reputation, from the oldest until now. All have one scale. */
function Sparkline({ now, changes }: { readonly now: number; readonly changes: Changes }) {
  const [shownAt] = useState(Date.now)
  const oldest = changes.toReversed()
  const values = [...oldest.map(({ oldReputation }) => oldReputation ?? 0), now]
  const y = (value: number): number => 19 - (18 * value) / MAX_REPUTATION
  const times = oldest.map(({ timestamp }) => Date.parse(timestamp))
  const start = times[0] ?? 0
  // The clock of the ledger can be ahead.
  const end = Math.max(shownAt, times.at(-1) ?? 0)
  const x = (time: number): number => WIDTH * (0.05 + (0.9 * (time - start)) / Math.max(end - start, 1))
  const path = times.map((time, i) => `H${x(time)}V${y(values[i + 1]!)}`).join('')
  return (
    <svg className={css.sparkline} viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
      <path d={`M0 ${y(values[0]!)}${path}H${WIDTH}`} />
    </svg>
  )
}

interface CountsProps<Filter extends string> {
  readonly title: string
  readonly rows: readonly (Readonly<Record<Filter, string>> & { readonly agents: number })[]
  /** The parameter of the list of agents. */
  readonly filter: Filter
}

/** How many agents have each value. A value leads to the list of its agents. */
function Counts<Filter extends string>({ title, rows, filter }: CountsProps<Filter>) {
  const bars = rows.map((row) => {
    const value: string = row[filter]
    return {
      key: value,
      label: words(value),
      value: row.agents,
      ...(filter === 'tier' && { tier: value }),
      to: `/agents?${filter}=${value}&mismatched=true`,
    }
  })
  return (
    <Section title={title}>
      <Bars caption={`Agents by ${filter}`} bars={bars} />
    </Section>
  )
}

/** The code of charts and events is not in the first load. */
const charts = () => import('./charts.tsx')
const Growth = lazily(async () => (await charts()).Growth, 'Loading the growth', 6)
const Reputation = lazily(async () => (await charts()).Reputation, 'Loading the reputation', 6)
const Events = lazily(async () => (await charts()).Events, 'Loading the events', 6)
const Newest = lazily(async () => (await charts()).Newest, 'Loading the changes', 6)
