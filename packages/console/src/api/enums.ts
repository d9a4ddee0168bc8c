/** The name of a text in GraphQL: AGENT_UPDATED for `agent.updated`. */
export function enumName(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toUpperCase()
}

/** The network as settings and wallets name it: `mainnet-beta` for MAINNET_BETA. */
export const networkName = (network: string): string => network.toLowerCase().replace('_', '-')
