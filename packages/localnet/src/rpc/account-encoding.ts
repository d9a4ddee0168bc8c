import { zstdCompressSync } from 'node:zlib'
import bs58 from 'bs58'
import type { Pubkey } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import type { Config } from './params.ts'
import { parsedTokenProgramAccount } from './parsed-token-account.ts'
import { invalidParams, invalidRequest } from './rpc-error.ts'

const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const
// Base-58 is quadratic in time, so nodes refuse to do it for more.
const MAX_BASE58_BYTES = 128

export type AccountReader = (key: Pubkey) => Account | null

export interface AccountEncoding {
  readonly encoding: (typeof ENCODINGS)[number]
  readonly slice: { readonly offset: number; readonly length: number } | undefined
}

export function accountEncoding(
  config: Config,
  fallback: AccountEncoding['encoding'] = 'binary',
): AccountEncoding {
  const slice = config.config('dataSlice')
  const [offset, length] = [slice?.integer('offset'), slice?.integer('length')]
  if (slice !== undefined && (offset === undefined || length === undefined)) {
    throw invalidParams('Invalid params: dataSlice needs offset and length')
  }
  return {
    encoding: config.choice('encoding', ENCODINGS) ?? fallback,
    slice: offset === undefined || length === undefined ? undefined : { offset, length },
  }
}

/** An account as the JSON-RPC interface shows it. */
export function encodeAccount(
  account: Account,
  { encoding, slice }: AccountEncoding,
  read: AccountReader,
): unknown {
  return {
    data: encodeData(account, { encoding, slice }, read),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: account.rentEpoch,
    space: account.data.length,
  }
}

function encodeData(account: Account, { encoding, slice }: AccountEncoding, read: AccountReader): unknown {
  if (encoding === 'jsonParsed') {
    const parsed = parsedTokenProgramAccount(account, read)
    if (parsed !== null) return parsed
  }
  const { data } = account
  const bytes = slice === undefined ? data : data.subarray(slice.offset, slice.offset + slice.length)
  const base64 = (): string =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  if (encoding === 'base64' || encoding === 'jsonParsed') return [base64(), 'base64']
  if (encoding === 'base64+zstd') return [zstdCompressSync(bytes).toString('base64'), 'base64+zstd']
  if (bytes.length > MAX_BASE58_BYTES) {
    throw invalidRequest(
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    )
  }
  return encoding === 'binary' ? bs58.encode(bytes) : [bs58.encode(bytes), 'base58']
}
