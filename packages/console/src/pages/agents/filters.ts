import type { AgentsQueryVariables } from './page.generated.ts'

export const PAGE_SIZE = 25
export const TIERS = ['premium', 'standard', 'basic', 'observer'] as const
export const STATUSES = ['active', 'suspended', 'deactivated'] as const
export const CATEGORIES = [
  'financial',
  'dataAnalysis',
  'contentCreation',
  'customerService',
  'development',
  'research',
  'logistics',
  'commerce',
  'other',
] as const
const SORTS = ['reputation', 'created_at', 'name'] as const

const oneOf = <Value extends string>(values: readonly Value[], given: string | null): Value | undefined =>
  values.find((each) => each === given)

/** The request for the search parameters of the page. Unknown values are ignored. */
export function readFilters(search: URLSearchParams): AgentsQueryVariables {
  const name = search.get('name')?.trim()
  const min = Number(search.get('min') ?? 0)
  const tier = oneOf(TIERS, search.get('tier'))
  const status = oneOf(STATUSES, search.get('status'))
  const category = oneOf(CATEGORIES, search.get('category'))
  const sort = oneOf(SORTS, search.get('sort')) ?? (name ? undefined : 'reputation')
  const [after, before] = [search.get('after'), search.get('before')]
  return {
    filter: {
      ...(name && { name }),
      ...(tier && { tier }),
      ...(status && { status }),
      ...(category && { category }),
      ...(search.get('mismatched') === 'true' && { includeMismatched: true }),
      ...(Number.isInteger(min) && min > 0 && { minReputation: min }),
    },
    ...(sort && { sort }),
    ...(sort && { order: sort === 'name' ? 'asc' : 'desc' }),
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
