import { zstdCompressSync } from 'node:zlib'
import { encodeBase58 } from '@agent-registry/solana'
import type { Account, AccountReader } from '../vm/account.ts'
import { asConfig, type Config } from './params.ts'
import { parseAccount } from './parsed-accounts.ts'
import { invalidParams, invalidRequest } from './rpc-error.ts'

const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const
// Base-58 takes quadratic time, so nodes refuse it for more bytes.
const MAX_BASE58_BYTES = 128

type AccountEncoder = (account: Account, read: AccountReader) => unknown

/** Creates an encoder for accounts from the fields `encoding` and `dataSlice`. */
export function accountEncoder(
  config: Config,
  fallback: (typeof ENCODINGS)[number] = 'binary',
): AccountEncoder {
  const slice = config.optional('dataSlice', asConfig)
  const [offset, length] = [slice?.integer('offset'), slice?.integer('length')]
  if (slice !== undefined && (offset === undefined || length === undefined)) {
    throw invalidParams('Invalid params: dataSlice needs offset and length')
  }
  const encoding = config.choice('encoding', ENCODINGS) ?? fallback
  const sliced = (data: Uint8Array): Uint8Array =>
    offset === undefined || length === undefined ? data : data.subarray(offset, offset + length)
  return (account, read) => {
    const parsed = encoding === 'jsonParsed' ? parseAccount(account, read) : null
    return {
      data: parsed ?? encodeData(sliced(account.data), encoding),
      executable: account.executable,
      lamports: account.lamports,
      owner: account.owner,
      rentEpoch: account.rentEpoch,
      space: account.data.length,
    }
  }
}

function encodeData(bytes: Uint8Array, encoding: (typeof ENCODINGS)[number]): unknown {
  if (encoding === 'base64+zstd') return [zstdCompressSync(bytes).toString('base64'), encoding]
  if (encoding === 'base64' || encoding === 'jsonParsed') {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return [buffer.toString('base64'), 'base64']
  }
  if (bytes.length > MAX_BASE58_BYTES) {
    throw invalidRequest(
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    )
  }
  return encoding === 'binary' ? encodeBase58(bytes) : [encodeBase58(bytes), 'base58']
}
