import { pubkey, type Pubkey, pubkeyBytes } from '@agent-registry/solana'
export const TOKEN_PROGRAM = pubkey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

const INITIALIZED = 1

/** The data of an SPL Token mint without authorities. */
export function mintData(decimals: number, supply = 10n ** 15n): Uint8Array {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(supply, 36)
  data.writeUInt8(decimals, 44)
  data.writeUInt8(INITIALIZED, 45)
  return data
}

export function tokenAccountData(mint: Pubkey, owner: Pubkey, amount: bigint): Uint8Array {
  const data = Buffer.alloc(165)
  data.set(pubkeyBytes(mint), 0)
  data.set(pubkeyBytes(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data.writeUInt8(INITIALIZED, 108)
  return data
}

export function tokenBalance(data: Uint8Array): bigint {
  return Buffer.from(data).readBigUInt64LE(64)
}
