import type { Pubkey } from '@agent-registry/solana'

export const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111' as Pubkey
export const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111' as Pubkey
