import type { AgentDetailsQuery } from './page.generated.ts'

export type Agent = NonNullable<AgentDetailsQuery['agent']>
export type Card = Agent['card']
export type Credential = Agent['credentials']['nodes'][number]
export type Config = AgentDetailsQuery['registryConfig']

/** The named bits of the mask, from the lowest. */
export const CAPABILITIES = ['Buy', 'Sell', 'Negotiate', 'Release escrow', 'Delegate', 'Arbitrate']

/** The names of the bits. Bits without a name are shown by their number. */
export function capabilityNames(mask: string): string[] {
  const bits = BigInt(mask)
  return Array.from({ length: 64 }, (_, i) => i)
    .filter((i) => (bits >> BigInt(i)) & 1n)
    .map((i) => CAPABILITIES[i] ?? `Bit ${i}`)
}
