export const DID_MEDIA_TYPES = ['application/did+ld+json', 'application/did'] as const

/**
 * The media type of a DID Document: the contract's, unless Accept (RFC 9110, section 12.5.1) names that of DID 1.1 and does not
 * name the contract's with as much weight.
 */
export function didMediaType(accept: string | undefined): (typeof DID_MEDIA_TYPES)[number] {
  const [usual, newer] = DID_MEDIA_TYPES
  return weightOf(newer, accept) > weightOf(usual, accept) ? newer : usual
}

/** 0 where the type is not named itself; a range names none. */
function weightOf(type: string, accept = ''): number {
  const weights = accept
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([name]) => name === type)
    .map(([, ...parameters]) => Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1))
  return Math.max(0, ...weights.filter((weight) => weight <= 1))
}
