import type { Pubkey } from '@agent-registry/solana'
import { DataReader, NotParsableError } from '../data-reader.ts'
import { type InstructionLayout, parseLayout } from './layout.ts'

const CREATE_TOKEN_ACCOUNT = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram']

const TOKEN_ACCOUNT_LAYOUTS: readonly InstructionLayout[] = [
  { type: 'create', accounts: CREATE_TOKEN_ACCOUNT },
  { type: 'createIdempotent', accounts: CREATE_TOKEN_ACCOUNT },
  {
    type: 'recoverNested',
    accounts: [
      'nestedSource',
      'nestedMint',
      'destination',
      'nestedOwner',
      'ownerMint',
      'wallet',
      'tokenProgram',
    ],
  },
]

/** Parses an instruction of the Associated Token Account program. */
export function parseAssociatedToken(accounts: readonly Pubkey[], data: Uint8Array): object {
  if (data.length > 1) throw new NotParsableError('trailing bytes')
  return parseLayout(TOKEN_ACCOUNT_LAYOUTS[data[0] ?? 0], accounts, new DataReader(data))
}

const TABLE_ACCOUNTS = ['lookupTableAccount', 'lookupTableAuthority']

const TABLE_LAYOUTS: readonly InstructionLayout[] = [
  {
    type: 'createLookupTable',
    accounts: [...TABLE_ACCOUNTS, 'payerAccount', 'systemProgram'],
    data: ({ u64, u8 }) => ({ recentSlot: u64(), bumpSeed: u8() }),
  },
  { type: 'freezeLookupTable', accounts: TABLE_ACCOUNTS },
  {
    type: 'extendLookupTable',
    accounts: TABLE_ACCOUNTS,
    optional: ['payerAccount', 'systemProgram'],
    data: (reader) => {
      const count = Number(reader.u64())
      return { newAddresses: keysIn(reader.take(32 * count)) }
    },
  },
  { type: 'deactivateLookupTable', accounts: TABLE_ACCOUNTS },
  { type: 'closeLookupTable', accounts: [...TABLE_ACCOUNTS, 'recipient'] },
]

function keysIn(bytes: Uint8Array): Pubkey[] {
  const reader = new DataReader(bytes)
  return reader.list(reader.key)
}

/** Parses an instruction of the Address Lookup Table program. */
export function parseLookupTable(accounts: readonly Pubkey[], data: Uint8Array): object {
  const reader = new DataReader(data)
  return parseLayout(TABLE_LAYOUTS[reader.u32()], accounts, reader)
}

const additionalBytes: InstructionLayout['data'] = ({ u32 }) => ({ additionalBytes: u32() })
const EXTENDED = ['programDataAccount', 'programAccount']

const LOADER_LAYOUTS: Readonly<Record<number, InstructionLayout>> = {
  0: { type: 'initializeBuffer', accounts: ['account'], optional: ['authority'] },
  1: {
    type: 'write',
    accounts: ['account', 'authority'],
    data: ({ u32, bytes }) => ({ offset: u32(), bytes: bytes().toString('base64') }),
  },
  2: {
    type: 'deployWithMaxDataLen',
    accounts: [
      'payerAccount',
      'programDataAccount',
      'programAccount',
      'bufferAccount',
      'rentSysvar',
      'clockSysvar',
      'systemProgram',
      'authority',
    ],
    data: ({ u64 }) => ({ maxDataLen: u64() }),
  },
  3: {
    type: 'upgrade',
    accounts: [...EXTENDED, 'bufferAccount', 'spillAccount', 'rentSysvar', 'clockSysvar', 'authority'],
  },
  4: { type: 'setAuthority', accounts: ['account', 'authority'], nullable: ['newAuthority'] },
  5: { type: 'close', accounts: ['account', 'recipient', 'authority'], nullable: ['programAccount'] },
  6: {
    type: 'extendProgram',
    accounts: EXTENDED,
    nullable: ['systemProgram', 'payerAccount'],
    data: additionalBytes,
  },
  7: { type: 'setAuthorityChecked', accounts: ['account', 'authority', 'newAuthority'] },
  9: {
    type: 'extendProgramChecked',
    accounts: [...EXTENDED, 'authority'],
    nullable: ['systemProgram', 'payerAccount'],
    data: additionalBytes,
  },
}

/** Parses an instruction of the upgradeable loader. */
export function parseUpgradeableLoader(accounts: readonly Pubkey[], data: Uint8Array): object {
  const reader = new DataReader(data)
  return parseLayout(LOADER_LAYOUTS[reader.u32()], accounts, reader)
}
