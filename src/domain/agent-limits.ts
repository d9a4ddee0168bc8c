/** What the registry program accepts of an agent. Lengths in bytes of UTF-8. */
export const AGENT_LIMITS = {
  nameBytes: 32,
  versionBytes: 16,
  cardUrlBytes: 200,
  cardUrlSchemes: ['https', 'ipfs', 'ar', 'did'],
  /** Of a SHA-256 in hex. */
  cardHashDigits: 64,
} as const

export type AgentLimits = typeof AGENT_LIMITS

/** In texts for people: `https, ipfs, ar or did`. */
export const CARD_URL_SCHEMES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  AGENT_LIMITS.cardUrlSchemes,
)

export function isCardUrl(url: string): boolean {
  return AGENT_LIMITS.cardUrlSchemes.some((scheme) => url.startsWith(`${scheme}:`))
}
