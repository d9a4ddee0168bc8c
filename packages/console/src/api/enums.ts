import type { ServiceCategory as ClientCategory } from '@agent-registry/client'

/** The name of a text in GraphQL: AGENT_UPDATED for `agent.updated`. */
export function enumName(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toUpperCase()
}

/** The network as settings and wallets name it: `mainnet-beta` for MAINNET_BETA. */
export const networkName = (network: string): string => network.toLowerCase().replace('_', '-')

/** The named bits of the mask of capabilities, from the lowest. */
export const CAPABILITIES = ['Buy', 'Sell', 'Negotiate', 'Release escrow', 'Delegate', 'Arbitrate']

/** The names of its bits. Bits without a name are shown by their number. */
export function capabilityNames(mask: string): string[] {
  const bits = BigInt(mask)
  return Array.from({ length: 64 }, (_, i) => i)
    .filter((i) => (bits >> BigInt(i)) & 1n)
    .map((i) => CAPABILITIES[i] ?? `Bit ${i}`)
}

/** The name of a category in the client: `dataAnalysis` for DATA_ANALYSIS. */
export function clientCategory(category: string): ClientCategory {
  const name = category.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return name as ClientCategory
}
