import type { Pubkey } from '@agent-registry/solana'
import { uiTokenAmount } from '../../vm/token-accounts.ts'
import { DataReader, decodeUtf8, NotParsableError } from '../data-reader.ts'
import { type InstructionLayout, parseLayout } from './layout.ts'
import { AUTHORITY_TYPES, EXTENSION_TYPES, isMintAuthority } from './token-names.ts'

type Data = NonNullable<InstructionLayout['data']>

const SET_AUTHORITY = 6
const BATCH = 255

const amount: Data = ({ u64 }) => ({ amount: u64().toString() })
const tokenAmount: Data = ({ u64, u8 }) => ({ tokenAmount: uiTokenAmount(u64(), u8()) })
const owner: Data = ({ key }) => ({ owner: key() })
const signers: Data = ({ u8 }) => ({ m: u8() })
const mint: Data = ({ u8, key, optionalKey }) => {
  const [decimals, mintAuthority, freezeAuthority] = [u8(), key(), optionalKey()]
  return { decimals, mintAuthority, ...(freezeAuthority === null ? {} : { freezeAuthority }) }
}
const extensions: Data = (reader) => {
  const extensionTypes = reader.list(reader.u16).map((each) => EXTENSION_TYPES[each])
  if (extensionTypes.includes(undefined)) throw new NotParsableError('unknown extension')
  return extensionTypes.length === 0 ? {} : { extensionTypes }
}

const LAYOUTS: Readonly<Record<number, InstructionLayout>> = {
  0: { type: 'initializeMint', accounts: ['mint', 'rentSysvar'], data: mint },
  1: { type: 'initializeAccount', accounts: ['account', 'mint', 'owner', 'rentSysvar'] },
  2: { type: 'initializeMultisig', accounts: ['multisig', 'rentSysvar'], rest: 'signers', data: signers },
  3: { type: 'transfer', accounts: ['source', 'destination'], authority: 'authority', data: amount },
  4: { type: 'approve', accounts: ['source', 'delegate'], authority: 'owner', data: amount },
  5: { type: 'revoke', accounts: ['source'], authority: 'owner' },
  7: { type: 'mintTo', accounts: ['mint', 'account'], authority: 'mintAuthority', data: amount },
  8: { type: 'burn', accounts: ['account', 'mint'], authority: 'authority', data: amount },
  9: { type: 'closeAccount', accounts: ['account', 'destination'], authority: 'owner' },
  10: { type: 'freezeAccount', accounts: ['account', 'mint'], authority: 'freezeAuthority' },
  11: { type: 'thawAccount', accounts: ['account', 'mint'], authority: 'freezeAuthority' },
  12: {
    type: 'transferChecked',
    accounts: ['source', 'mint', 'destination'],
    authority: 'authority',
    data: tokenAmount,
  },
  13: {
    type: 'approveChecked',
    accounts: ['source', 'mint', 'delegate'],
    authority: 'owner',
    data: tokenAmount,
  },
  14: { type: 'mintToChecked', accounts: ['mint', 'account'], authority: 'mintAuthority', data: tokenAmount },
  15: { type: 'burnChecked', accounts: ['account', 'mint'], authority: 'authority', data: tokenAmount },
  16: { type: 'initializeAccount2', accounts: ['account', 'mint', 'rentSysvar'], data: owner },
  17: { type: 'syncNative', accounts: ['account'] },
  18: { type: 'initializeAccount3', accounts: ['account', 'mint'], data: owner },
  19: { type: 'initializeMultisig2', accounts: ['multisig'], rest: 'signers', data: signers },
  20: { type: 'initializeMint2', accounts: ['mint'], data: mint },
  21: { type: 'getAccountDataSize', accounts: ['mint'], data: extensions },
  22: { type: 'initializeImmutableOwner', accounts: ['account'] },
  23: { type: 'amountToUiAmount', accounts: ['mint'], data: amount },
  24: {
    type: 'uiAmountToAmount',
    accounts: ['mint'],
    data: (reader) => ({ uiAmount: decodeUtf8(reader.rest()) }),
  },
  25: {
    type: 'initializeMintCloseAuthority',
    accounts: ['mint'],
    data: ({ optionalKey }) => ({ newAuthority: optionalKey() }),
  },
  31: { type: 'createNativeMint', accounts: ['payer', 'nativeMint', 'systemProgram'] },
  32: { type: 'initializeNonTransferableMint', accounts: ['mint'] },
  35: { type: 'initializePermanentDelegate', accounts: ['mint'], data: ({ key }) => ({ delegate: key() }) },
  38: { type: 'withdrawExcessLamports', accounts: ['source', 'destination'], authority: 'authority' },
}

/** Parses an instruction of SPL Token or Token-2022. Other extensions are not parsed. */
export function parseToken(accounts: readonly Pubkey[], data: Uint8Array): object {
  const reader = new DataReader(data)
  const kind = reader.u8()
  if (kind === BATCH) return parseBatch(accounts, reader)
  return parseLayout(kind === SET_AUTHORITY ? setAuthority(data[1]) : LAYOUTS[kind], accounts, reader)
}

function setAuthority(type: number | undefined): InstructionLayout {
  const authorityType = AUTHORITY_TYPES[type ?? -1]
  if (authorityType === undefined) throw new NotParsableError('unknown authority type')
  return {
    type: 'setAuthority',
    accounts: [isMintAuthority(authorityType) ? 'mint' : 'account'],
    authority: 'authority',
    data: ({ u8, optionalKey }) => {
      u8()
      return { authorityType, newAuthority: optionalKey() }
    },
  }
}

/** Several instructions in one: for each a number of accounts, a length and the data. */
function parseBatch(accounts: readonly Pubkey[], reader: DataReader): object {
  let used = 0
  const instructions = reader.list(() => {
    const [count, length] = [reader.u8(), reader.u8()]
    const data = reader.take(length)
    if (data[0] === BATCH) throw new NotParsableError('batch in a batch')
    used += count
    return parseToken(accounts.slice(used - count, used), data)
  })
  return { type: 'batch', info: { instructions } }
}
