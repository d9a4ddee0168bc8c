export const DID_MEDIA_TYPES = ['application/did+ld+json', 'application/did'] as const

/**
 * The media type of a DID Document: that of DID 1.1 if Accept (RFC 9110, section 12.5.1) gives it a
 * higher weight, otherwise that of the contract.
 */
export function didMediaType(accept: string | undefined): (typeof DID_MEDIA_TYPES)[number] {
  const [standard, newer] = DID_MEDIA_TYPES
  return weightOf(newer, accept) > weightOf(standard, accept) ? newer : standard
}

/** 0 if the type is not listed. Ranges such as `*` are ignored. */
function weightOf(type: string, accept = ''): number {
  const weights = accept
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .filter(([name]) => name === type)
    .map(([, ...parameters]) => Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1))
  return Math.max(0, ...weights.filter((weight) => weight <= 1))
}
