import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { enumName } from '../../api/enums.ts'
import { Button, classes, formatUnits, Tier, Toggles, withCommas, words } from '../../ui/index.ts'
import { AgentTotalsDocument } from './page.generated.ts'
import { CATEGORIES, type FilterProps, TIERS } from './filters.ts'
import css from './page.module.css'

/** The counts of the list, with or without agents with a mismatched card. */
const useTotals = (search: URLSearchParams) =>
  useQuery({
    query: AgentTotalsDocument,
    variables: { includeMismatched: search.get('mismatched') === 'true' },
  })

/** Agents by tier and category. Each number is a filter. */
export function Totals({ search, onChange }: FilterProps) {
  const [{ data }] = useTotals(search)
  const stats = data?.registryStats
  const stakes = new Map(data?.registryConfig?.tiers.map(({ tier, minimumStake }) => [tier, minimumStake]))
  const tiers = new Map(stats?.byTier.map(({ tier, agents }) => [tier, agents]))
  const categories = new Map(stats?.byCategory.map(({ category, agents }) => [category, agents]))
  const toggle = (name: string, key: string, content: ReactNode) => {
    const pressed = enumName(search.get(name) ?? '') === key
    return { key, content, pressed, onClick: () => onChange({ [name]: pressed ? '' : key }) }
  }
  const count = (counts: ReadonlyMap<string, number>, key: string) =>
    stats === undefined ? '–' : (counts.get(key) ?? 0)
  return (
    <section aria-label="Totals" className="stack">
      <Toggles
        label="Tiers"
        looks={[classes('card', css.tiers), css.tier]}
        toggles={TIERS.map((tier) =>
          toggle(
            'tier',
            tier,
            <>
              <span className={css.count}>{count(tiers, tier)}</span>
              <Tier value={tier} />
              <span>{stakeText(stakes.get(tier))}</span>
            </>,
          ),
        )}
      />
      <Toggles
        label="Categories"
        toggles={CATEGORIES.map((category) =>
          toggle(
            'category',
            category,
            <>
              {words(category)} <span>{count(categories, category)}</span>
            </>,
          ),
        )}
      />
    </section>
  )
}

/** What a tier means. */
function stakeText(minimum: string | undefined): string {
  if (minimum === undefined) return '\u00a0'
  return minimum === '0' ? 'No stake' : `From ${formatUnits(BigInt(minimum), 6)} USDC`
}

/**
 * Lists leave out agents whose hosted card is not the recorded one. This says so, and shows them.
 */
export function Mismatched({ search, onChange }: FilterProps) {
  const [{ data }] = useTotals(search)
  const count = data?.registryStats.mismatchedAgents ?? 0
  if (count === 0) return null
  const isShown = search.get('mismatched') === 'true'
  const them = count === 1 ? 'it' : 'them'
  return (
    <p className="row hint">
      {count === 1 ? '1 agent has a card' : `${withCommas(count)} agents have cards`} that the owner did not
      record on the ledger. {isShown ? `The list has ${them} too.` : `The list leaves ${them} out.`}
      <Button small onClick={() => onChange({ mismatched: isShown ? '' : 'true' })}>
        {isShown ? `Leave ${them} out` : `Show ${them} too`}
      </Button>
    </p>
  )
}
