import { networkOf } from '../../domain/network.ts'

/** CAIP-2 cuts the genesis hash to this length. */
const REFERENCE_LENGTH = 32

/**
 * The values that wallets and libraries write as `Chain ID` for the ledger with this genesis hash
 * (base-58). The first is that of the Wallet Standard, such as `solana:mainnet`.
 */
export function chainIdsOf(genesisHash: string): readonly [string, ...string[]] {
  const network = networkOf(genesisHash).replace('-beta', '')
  const reference = genesisHash.slice(0, REFERENCE_LENGTH)
  return [`solana:${network}`, network, `solana:${reference}`, reference]
}
