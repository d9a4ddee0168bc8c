import { Bars, Tier } from '../../ui/index.ts'
import type { OverviewQuery } from './page.generated.ts'
import css from './page.module.css'

/** A line of smaller changes is flatter. */
const MIN_RANGE = 100

type Agents = OverviewQuery['best']['nodes']

/** The agents of the best reputation, each with its last changes. */
export function Best({ agents }: { readonly agents: Agents }) {
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

/** The last changes of the reputation, newest first, as steps of the same width. */
function Sparkline({ now, changes }: { readonly now: number; readonly changes: Changes }) {
  const values = changes.toReversed().map(({ oldReputation }) => oldReputation ?? 0)
  const steps = [...values, now]
  const low = Math.min(...steps)
  const range = Math.max(Math.max(...steps) - low, MIN_RANGE)
  const y = (value: number): number => 19 - (18 * (value - low)) / range
  const path = steps.map(
    (value, i) => `${i === 0 ? 'M0' : 'V'}${i === 0 ? ` ${y(value)}` : y(value)}H${i + 1}`,
  )
  return (
    <svg
      className={css.sparkline}
      viewBox={`0 0 ${steps.length} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path.join('')} />
    </svg>
  )
}
