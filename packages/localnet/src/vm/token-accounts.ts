import {
  type Pubkey,
  pubkeyBytes,
  pubkeyFromBytes,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-registry/solana'
import type { Account, AccountReader } from './account.ts'

const MINT_BYTES = 82
const TOKEN_ACCOUNT_BYTES = 165
// In Token-2022, an account with extensions contains its kind after the part that both programs
// share.
const MINT_KIND = 1
const TOKEN_ACCOUNT_KIND = 2

/** Returns null if the account is not an initialized token account of SPL Token or Token-2022. */
export function decodeTokenAccount(account: Account | null) {
  const data = tokenData(account, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_KIND)
  const state = data?.readUInt8(108)
  if (data === null || (state !== 1 && state !== 2)) return null
  return {
    mint: keyAt(data, 0),
    owner: keyAt(data, 32),
    amount: data.readBigUInt64LE(64),
    delegate: optionalKey(data, 72),
    state: state === 1 ? 'initialized' : 'frozen',
    /** The lamports that are not part of the amount if the account holds wrapped SOL, or null. */
    nativeReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : null,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalKey(data, 129),
  }
}

/** Returns null if the account is not an initialized mint of SPL Token or Token-2022. */
export function decodeMint(account: Account | null) {
  const data = tokenData(account, MINT_BYTES, MINT_KIND)
  if (data === null || data[45] !== 1) return null
  return {
    mintAuthority: optionalKey(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data.readUInt8(44),
    freezeAuthority: optionalKey(data, 46),
  }
}

/**
 * A token account with the decimals of its mint. Returns null if one of the accounts is not valid.
 */
export function decodeTokenBalance(account: Account | null, read: AccountReader) {
  const token = decodeTokenAccount(account)
  const mint = token === null ? null : decodeMint(read(token.mint))
  return token === null || mint === null ? null : { ...token, decimals: mint.decimals }
}

export function encodeMint(authority: Pubkey, decimals: number): Uint8Array {
  const bytes = new Uint8Array(MINT_BYTES)
  bytes[0] = 1
  bytes.set(pubkeyBytes(authority), 4)
  bytes[44] = decimals
  bytes[45] = 1
  return bytes
}

/** An amount in the shape of Solana's JSON-RPC. */
export function uiTokenAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
  const uiAmountString = `${digits.slice(0, digits.length - decimals)}${fraction}`
  // A node computes this number with an integer that does not hold 10^20.
  const uiAmount = decimals > 19 ? null : Number(uiAmountString)
  return { amount: amount.toString(), decimals, uiAmount, uiAmountString }
}

function tokenData(account: Account | null, size: number, kind: number): Buffer | null {
  if (account?.owner !== TOKEN_PROGRAM && account?.owner !== TOKEN_2022_PROGRAM) return null
  const { owner, data } = account
  const isExtended = owner === TOKEN_2022_PROGRAM && data.length > TOKEN_ACCOUNT_BYTES
  if (data.length !== size && !(isExtended && data[TOKEN_ACCOUNT_BYTES] === kind)) return null
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

function keyAt(data: Buffer, offset: number): Pubkey {
  return pubkeyFromBytes(data.subarray(offset, offset + 32))
}

function optionalKey(data: Buffer, offset: number): Pubkey | null {
  return data[offset] === 1 ? keyAt(data, offset + 4) : null
}

/** The token accounts among the accounts of a transaction, in the shape of `preTokenBalances`. */
export function tokenBalances(accounts: readonly (Account | null)[], read: AccountReader) {
  return accounts.flatMap((account, accountIndex) => {
    const token = decodeTokenBalance(account, read)
    if (account === null || token === null) return []
    const { mint, owner, amount, decimals } = token
    const programId = account.owner
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: uiTokenAmount(amount, decimals) }]
  })
}
