export const DID_MEDIA_TYPES = ['application/did+ld+json', 'application/did'] as const

/** That of the contract, or of DID 1.1 if Accept gives it a higher weight. */
export function didMediaType(accept: string | undefined): (typeof DID_MEDIA_TYPES)[number] {
  const [standard, newer] = DID_MEDIA_TYPES
  const ranges = rangesOf(accept)
  return (ranges.get(newer) ?? 0) > (ranges.get(standard) ?? 0) ? newer : standard
}

/**
 * The offered type to which Accept (RFC 9110, section 12.5.1) gives the highest weight, the first
 * one if several have it. Null if it allows none. An offer can have a `profile`.
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  offers: readonly Type[],
): Type | null {
  if (accept === undefined) return offers[0] ?? null
  const ranges = rangesOf(accept)
  const weightOf = (offer: string): number =>
    ranges.get(offer) ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  const [best] = offers.toSorted((one, other) => weightOf(other) - weightOf(one))
  return best !== undefined && weightOf(best) > 0 ? best : null
}

/** The media ranges with their weights. Of the parameters, only `profile` belongs to a range. */
function rangesOf(accept = ''): Map<string, number> {
  const ranges = new Map<string, number>()
  for (const each of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim())
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1)
    const profile = parameters.find((part) => part.startsWith('profile='))
    const range = profile === undefined ? name : `${name};${profile}`
    if (weight <= 1) ranges.set(range, Math.max(weight, ranges.get(range) ?? 0))
  }
  return ranges
}
