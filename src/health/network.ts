const CLUSTERS: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY': 'testnet',
}

/** The Solana cluster that began with this genesis block (base-58 hash); any other ledger is a localnet. */
export function networkOf(genesisHash: string): string {
  return CLUSTERS[genesisHash] ?? 'localnet'
}
