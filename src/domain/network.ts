export type Network = 'mainnet-beta' | 'devnet' | 'testnet' | 'localnet'

const CLUSTERS: Readonly<Record<string, Network>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY': 'testnet',
}

/** The cluster with this genesis hash (base-58). Any other ledger is a localnet. */
export function networkOf(genesisHash: string): Network {
  return CLUSTERS[genesisHash] ?? 'localnet'
}
