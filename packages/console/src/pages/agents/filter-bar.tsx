import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { enumName } from '../../api/enums.ts'
import { Button, classes, Input, optionsOf, Select, Toggles } from '../../ui/index.ts'
import { useTyped } from '../../ui/reads.ts'
import { CATEGORIES, type FilterProps, MAX_NAME, STATUSES, TIERS } from './filters.ts'
import css from './page.module.css'
import { plural, Tier, usdc, words } from '../../ui/values.ts'
import { AgentTotalsDocument } from './page.generated.ts'

const choices = (all: string, values: readonly string[]) => [{ value: '', label: all }, ...optionsOf(values)]
const SORTS = [
  { value: 'REPUTATION', label: 'Reputation' },
  { value: 'REPUTATION ASC', label: 'Lowest reputation' },
  { value: 'CREATED_AT', label: 'Newest' },
  { value: 'CREATED_AT ASC', label: 'Oldest' },
  { value: 'NAME', label: 'Name' },
  { value: 'NAME DESC', label: 'Name, from Z' },
]
/** Only a search has matches. */
const BEST_MATCH = { value: '', label: 'Best match' }
const WAIT_MS = 200

export function Filters({ search, onChange }: FilterProps) {
  const name = useTyped(search.get('name') ?? '', WAIT_MS, (typed) => onChange({ name: typed }))
  const select = (label: string, parameter: string, options: { value: string; label: string }[]) => (
    <Select
      label={label}
      options={options}
      value={enumName(search.get(parameter) ?? '')}
      onChange={({ target }) => onChange({ [parameter]: target.value })}
    />
  )
  return (
    <div className={css.filters}>
      <Input label="Name" type="search" placeholder="Filter by name" maxLength={MAX_NAME} {...name} />
      {select('Status', 'status', choices('All statuses', STATUSES))}
      <Select
        label="Sort by"
        options={name.value === '' ? SORTS : [BEST_MATCH, ...SORTS]}
        value={[enumName(search.get('sort') ?? ''), search.get('order') ?? ''].join(' ').trim()}
        onChange={({ target }) => {
          const [sort = '', order = ''] = target.value.split(' ')
          onChange({ sort, order })
        }}
      />
    </div>
  )
}

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
  return minimum === '0' ? 'No stake' : `From ${usdc(minimum)} USDC`
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
      {plural(count, 'agent has a card', 'agents have cards')} that the owner did not record on the ledger.{' '}
      {isShown ? `The list has ${them} too.` : `The list leaves ${them} out.`}
      <Button small onClick={() => onChange({ mismatched: isShown ? '' : 'true' })}>
        {isShown ? `Leave ${them} out` : `Show ${them} too`}
      </Button>
    </p>
  )
}
