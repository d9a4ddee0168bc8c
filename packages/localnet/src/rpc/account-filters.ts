import { decodeBase58 } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import { decodeTokenAccount } from '../vm/token-accounts.ts'
import { asConfig, asInteger, asText, Config, listOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

type AccountFilter = (account: Account) => boolean

const MAX_FILTERS = 4
const MAX_MEMCMP_BYTES = 128
// 128 bytes are at most 175 characters of base-58.
const MAX_BASE58_TEXT = 175

/** The filters of getProgramAccounts and programSubscribe. An account must pass all of them. */
export function accountFilters(config: Config): AccountFilter {
  const filters = config.optional('filters', listOf(asFilter, MAX_FILTERS)) ?? []
  return (account) => filters.every((matches) => matches(account))
}

function asFilter(value: unknown): AccountFilter {
  if (value === 'tokenAccountState') return (account) => decodeTokenAccount(account) !== null
  const fields = new Config(value, 'filter')
  const size = fields.optional('dataSize', asInteger)
  if (size !== undefined) return ({ data }) => data.length === size
  const memcmp = fields.optional('memcmp', asConfig)
  if (memcmp === undefined)
    throw invalidParams('Invalid params: a filter is dataSize, memcmp or tokenAccountState')
  const offset = memcmp.integer('offset')
  if (offset === undefined) throw invalidParams('Invalid params: memcmp needs an offset')
  const expected = memcmpBytes(memcmp)
  return ({ data }) => Buffer.compare(data.subarray(offset, offset + expected.length), expected) === 0
}

function memcmpBytes(memcmp: Config): Uint8Array {
  const value = memcmp.value('bytes')
  const encoding = memcmp.choice('encoding', ['base58', 'base64', 'bytes']) ?? 'base58'
  const bytes = Array.isArray(value) ? fromList(value) : fromText(asText(value, 'memcmp.bytes'), encoding)
  if (bytes === null) throw invalidParams(`Invalid param: memcmp.bytes is not ${encoding}`)
  if (bytes.length > MAX_MEMCMP_BYTES) throw invalidParams('Invalid param: memcmp.bytes is over 128 bytes')
  return bytes
}

function fromList(values: readonly unknown[]): Uint8Array | null {
  const isByte = (each: unknown): boolean =>
    Number.isInteger(each) && Number(each) >= 0 && Number(each) <= 255
  return values.every(isByte) ? Uint8Array.from(values as number[]) : null
}

function fromText(text: string, encoding: string): Uint8Array | null {
  if (encoding === 'base58') {
    if (text.length > MAX_BASE58_TEXT) throw invalidParams('Invalid param: memcmp.bytes is over 128 bytes')
    return decodeBase58(text)
  }
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
