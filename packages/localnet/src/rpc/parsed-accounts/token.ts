import { type Pubkey, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@agent-registry/solana'
import type { Account, AccountReader } from '../../vm/account.ts'
import { decodeMint, decodeTokenBalance, MULTISIG_BYTES, uiTokenAmount } from '../../vm/token-accounts.ts'
import { DataReader, NotParsableError } from '../data-reader.ts'
import { parseExtensions } from './token-extensions.ts'

/** Parses an account of SPL Token or Token-2022: a token account, a mint or a multisig account. */
export function parseTokenProgramAccount(account: Account, read: AccountReader): object {
  const parsed = parseTokenAccount(account, read) ?? parseMint(account) ?? parseMultisig(account)
  if (parsed === null) throw new NotParsableError('not an account of a token program')
  const extensions = account.owner === TOKEN_PROGRAM ? [] : parseExtensions(account.data)
  const { type, info } = parsed
  return { type, info: extensions.length === 0 ? info : { ...info, extensions } }
}

function parseTokenAccount(account: Account, read: AccountReader) {
  const token = decodeTokenBalance(account, read)
  if (token === null) return null
  const { mint, owner, state, nativeReserve, amount, decimals, delegate, closeAuthority } = token
  const ui = (value: bigint) => uiTokenAmount(value, decimals)
  const info = {
    mint,
    owner,
    state,
    isNative: nativeReserve !== null,
    tokenAmount: ui(amount),
    ...(nativeReserve === null ? {} : { rentExemptReserve: ui(nativeReserve) }),
    ...(delegate === null ? {} : { delegate, delegatedAmount: ui(token.delegatedAmount) }),
    ...(closeAuthority === null ? {} : { closeAuthority }),
  }
  return { type: 'account', info }
}

function parseMint(account: Account) {
  const mint = decodeMint(account)
  if (mint === null) return null
  const { mintAuthority, supply, decimals, freezeAuthority } = mint
  return {
    type: 'mint',
    info: { mintAuthority, supply: supply.toString(), decimals, isInitialized: true, freezeAuthority },
  }
}

function parseMultisig({ data }: Account) {
  if (data.length !== MULTISIG_BYTES || data[2] !== 1) return null
  const keys = new DataReader(data.subarray(3))
  const signers = keys.list(keys.key).filter((key: Pubkey) => key !== SYSTEM_PROGRAM)
  const info = { numRequiredSigners: data[0], numValidSigners: data[1], isInitialized: true, signers }
  return { type: 'multisig', info }
}
