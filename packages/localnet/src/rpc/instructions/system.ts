import type { Pubkey } from '@agent-registry/solana'
import { DataReader } from '../data-reader.ts'
import { type InstructionLayout, parseLayout } from './layout.ts'

const CREATE_ACCOUNT_ALLOW_PREFUND = 13

// In the order of the instruction numbers.
const LAYOUTS: readonly InstructionLayout[] = [
  {
    type: 'createAccount',
    accounts: ['source', 'newAccount'],
    data: ({ u64, key }) => ({ lamports: u64(), space: u64(), owner: key() }),
  },
  { type: 'assign', accounts: ['account'], data: ({ key }) => ({ owner: key() }) },
  {
    type: 'transfer',
    accounts: ['source', 'destination'],
    data: ({ u64 }) => ({ lamports: u64() }),
  },
  {
    type: 'createAccountWithSeed',
    accounts: ['source', 'newAccount'],
    data: ({ key, text, u64 }) => ({
      base: key(),
      seed: text(),
      lamports: u64(),
      space: u64(),
      owner: key(),
    }),
  },
  { type: 'advanceNonce', accounts: ['nonceAccount', 'recentBlockhashesSysvar', 'nonceAuthority'] },
  {
    type: 'withdrawFromNonce',
    accounts: ['nonceAccount', 'destination', 'recentBlockhashesSysvar', 'rentSysvar', 'nonceAuthority'],
    data: ({ u64 }) => ({ lamports: u64() }),
  },
  {
    type: 'initializeNonce',
    accounts: ['nonceAccount', 'recentBlockhashesSysvar', 'rentSysvar'],
    data: ({ key }) => ({ nonceAuthority: key() }),
  },
  {
    type: 'authorizeNonce',
    accounts: ['nonceAccount', 'nonceAuthority'],
    data: ({ key }) => ({ newAuthorized: key() }),
  },
  { type: 'allocate', accounts: ['account'], data: ({ u64 }) => ({ space: u64() }) },
  {
    type: 'allocateWithSeed',
    accounts: ['account'],
    min: 2,
    data: ({ key, text, u64 }) => ({ base: key(), seed: text(), space: u64(), owner: key() }),
  },
  {
    type: 'assignWithSeed',
    accounts: ['account'],
    min: 2,
    data: ({ key, text }) => ({ base: key(), seed: text(), owner: key() }),
  },
  {
    type: 'transferWithSeed',
    accounts: ['source', 'sourceBase', 'destination'],
    data: ({ u64, text, key }) => ({ lamports: u64(), sourceSeed: text(), sourceOwner: key() }),
  },
  { type: 'upgradeNonce', accounts: ['nonceAccount'] },
]

export function parseSystem(accounts: readonly Pubkey[], data: Uint8Array): object {
  const reader = new DataReader(data)
  const kind = reader.u32()
  return parseLayout(
    kind === CREATE_ACCOUNT_ALLOW_PREFUND ? allowPrefund(data) : LAYOUTS[kind],
    accounts,
    reader,
  )
}

// Without lamports, the instruction has no source.
function allowPrefund(data: Uint8Array): InstructionLayout {
  const hasSource = new DataReader(data.subarray(4)).u64() > 0n
  return {
    type: 'createAccountAllowPrefund',
    accounts: hasSource ? ['newAccount', 'source'] : ['newAccount'],
    data: ({ u64, key }) => {
      const [lamports, space, owner] = [u64(), u64(), key()]
      return hasSource ? { lamports, space, owner } : { space, owner }
    },
  }
}
