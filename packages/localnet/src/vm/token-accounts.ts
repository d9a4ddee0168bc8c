import {
  type Pubkey,
  pubkeyBytes,
  pubkeyFromBytes,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import type { Account } from './account.ts'
export const MINT_BYTES = 82
export const TOKEN_ACCOUNT_BYTES = 165
// Token-2022 puts the kind of an extended account behind the part that both programs share.
const MINT_KIND = 1
const TOKEN_ACCOUNT_KIND = 2

export interface TokenAccount {
  readonly mint: Pubkey
  readonly owner: Pubkey
  readonly amount: bigint
  readonly delegate: Pubkey | null
  readonly state: 'initialized' | 'frozen'
  readonly isNative: boolean
  readonly delegatedAmount: bigint
  readonly closeAuthority: Pubkey | null
}

export interface Mint {
  readonly mintAuthority: Pubkey | null
  readonly supply: bigint
  readonly decimals: number
  readonly freezeAuthority: Pubkey | null
}

export interface UiTokenAmount {
  readonly amount: string
  readonly decimals: number
  readonly uiAmount: number | null
  readonly uiAmountString: string
}

/** @returns null for anything but an initialised account of SPL Token or Token-2022 */
export function decodeTokenAccount(account: Account): TokenAccount | null {
  if (!isOfKind(account, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_KIND)) return null
  const data = view(account.data)
  const state = data.getUint8(108)
  if (state !== 1 && state !== 2) return null
  return {
    mint: keyAt(account.data, 0),
    owner: keyAt(account.data, 32),
    amount: data.getBigUint64(64, true),
    delegate: optionalKey(account.data, 72),
    state: state === 1 ? 'initialized' : 'frozen',
    isNative: data.getUint32(109, true) === 1,
    delegatedAmount: data.getBigUint64(121, true),
    closeAuthority: optionalKey(account.data, 129),
  }
}

export function decodeMint(account: Account): Mint | null {
  if (!isOfKind(account, MINT_BYTES, MINT_KIND)) return null
  const data = view(account.data)
  if (data.getUint8(45) !== 1) return null
  return {
    mintAuthority: optionalKey(account.data, 0),
    supply: data.getBigUint64(36, true),
    decimals: data.getUint8(44),
    freezeAuthority: optionalKey(account.data, 46),
  }
}

export function encodeMint(authority: Pubkey, decimals: number): Uint8Array {
  const bytes = new Uint8Array(MINT_BYTES)
  bytes[0] = 1
  bytes.set(pubkeyBytes(authority), 4)
  bytes[44] = decimals
  bytes[45] = 1
  return bytes
}

export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
  const uiAmountString = `${digits.slice(0, digits.length - decimals)}${fraction}`
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString }
}

function isOfKind(account: Account, bytes: number, kind: number): boolean {
  if (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM) return false
  const extended = account.owner === TOKEN_2022_PROGRAM && account.data.length > TOKEN_ACCOUNT_BYTES
  return account.data.length === bytes || (extended && account.data[TOKEN_ACCOUNT_BYTES] === kind)
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength)
}

function keyAt(data: Uint8Array, offset: number): Pubkey {
  return pubkeyFromBytes(data.subarray(offset, offset + 32))
}

function optionalKey(data: Uint8Array, offset: number): Pubkey | null {
  return data[offset] === 1 ? keyAt(data, offset + 4) : null
}
