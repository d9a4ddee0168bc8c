import { enumName } from '../../api/enums.ts'
import type { AgentsQueryVariables } from './page.generated.ts'

export const PAGE_SIZE = 25
export const MAX_NAME = 64
export const TIERS = ['PREMIUM', 'STANDARD', 'BASIC', 'OBSERVER'] as const
export const STATUSES = ['ACTIVE', 'SUSPENDED', 'DEACTIVATED'] as const
export const CATEGORIES = [
  'FINANCIAL',
  'DATA_ANALYSIS',
  'CONTENT_CREATION',
  'CUSTOMER_SERVICE',
  'DEVELOPMENT',
  'RESEARCH',
  'LOGISTICS',
  'COMMERCE',
  'OTHER',
] as const
const SORTS = ['REPUTATION', 'CREATED_AT', 'NAME'] as const

export type SortField = (typeof SORTS)[number]
const ORDERS = ['ASC', 'DESC'] as const
/** Names from the first, numbers and times from the highest. */
const usual = (sort: SortField): (typeof ORDERS)[number] => (sort === 'NAME' ? 'ASC' : 'DESC')

/** What shows the filters of the page and changes them. */
export interface FilterProps {
  readonly search: URLSearchParams
  readonly onChange: (changes: Record<string, string>) => void
}

/** The search parameters after a click on the heading of a column. */
export function sortedBy(sort: SortField, search: URLSearchParams): Record<string, string> {
  const { field, direction } = readFilters(search).orderBy ?? {}
  if (field !== sort) return { sort, order: '' }
  const other = direction === 'ASC' ? 'DESC' : 'ASC'
  return { sort, order: other === usual(sort) ? '' : other }
}

/** Links may have texts such as `dataAnalysis` and `created_at`. */
const oneOf = <Value extends string>(values: readonly Value[], given: string | null): Value | undefined =>
  values.find((each) => each === enumName(given ?? ''))

/** The request for the search parameters of the page. Unknown values are ignored. */
export function readFilters(search: URLSearchParams): AgentsQueryVariables {
  const name = search.get('name')?.trim().slice(0, MAX_NAME)
  const min = Number(search.get('min') ?? 0)
  const tier = oneOf(TIERS, search.get('tier'))
  const status = oneOf(STATUSES, search.get('status'))
  const category = oneOf(CATEGORIES, search.get('category'))
  const sort = oneOf(SORTS, search.get('sort')) ?? (name ? undefined : 'REPUTATION')
  const [after, before] = [search.get('after'), search.get('before')]
  return {
    filter: {
      // As people type: a part of a name, with typing errors.
      ...(name && { words: name }),
      ...(tier && { tier }),
      ...(status && { status }),
      ...(category && { category }),
      ...(search.get('mismatched') === 'true' && { includeMismatched: true }),
      ...(Number.isInteger(min) && min > 0 && { minReputation: min }),
    },
    ...(sort && { orderBy: { field: sort, direction: oneOf(ORDERS, search.get('order')) ?? usual(sort) } }),
    ...(before === null
      ? { first: PAGE_SIZE, ...(after !== null && { after }) }
      : { last: PAGE_SIZE, before }),
  }
}

/**
 * The search parameters with a change. Without a cursor, so that the list starts at its first page.
 */
export function withFilter(search: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  const next = new URLSearchParams(search)
  next.delete('after')
  next.delete('before')
  for (const [name, value] of Object.entries(changes))
    if (value === '') next.delete(name)
    else next.set(name, value)
  return next
}
