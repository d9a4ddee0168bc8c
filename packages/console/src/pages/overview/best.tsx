import { useQuery } from 'urql'
import { Bars, Tier } from '../../ui/index.ts'
import { BestHistoryDocument, type BestHistoryQuery, type OverviewQuery } from './page.generated.ts'
import css from './page.module.css'

const MAX_REPUTATION = 1_000

/** The agents of the best reputation, each with its last changes. */
export function Best({ agents }: { readonly agents: OverviewQuery['best']['nodes'] }) {
  const [{ data }] = useQuery({ query: BestHistoryDocument })
  const histories = new Map(data?.agents.nodes.map(({ pda, history }) => [pda, history.nodes]))
  return (
    <Bars
      caption="Agents of the best reputation"
      bars={agents.map(({ pda, name, tier, reputationScore }) => ({
        key: pda,
        label: name,
        detail: <Tier value={tier} />,
        to: `/agents/${pda}`,
        value: reputationScore,
        drawing: <Sparkline now={reputationScore} changes={histories.get(pda) ?? []} />,
      }))}
    />
  )
}

type Changes = BestHistoryQuery['agents']['nodes'][number]['history']['nodes']

/** The last changes of the reputation, newest first, as steps of the same width. */
function Sparkline({ now, changes }: { readonly now: number; readonly changes: Changes }) {
  const values = changes.toReversed().map(({ oldReputation }) => oldReputation ?? 0)
  const steps = [...values, now]
  const y = (value: number): number => 19 - (18 * value) / MAX_REPUTATION
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
