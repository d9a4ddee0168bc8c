import bs58 from 'bs58'
import type { Account } from '../vm/account.ts'
import { decodeTokenAccount } from '../vm/token-accounts.ts'
import { asInteger, asList, asText, Config } from './params.ts'
import { invalidParams } from './rpc-error.ts'

export type AccountFilter = (account: Account) => boolean

const MAX_FILTERS = 4
const MAX_MEMCMP_BYTES = 128

/** The filters of getProgramAccounts and programSubscribe. An account has to pass all of them. */
export function accountFilters(config: Config): AccountFilter {
  const given = config.value('filters')
  const filters = given === undefined ? [] : asList(given, 'filters', MAX_FILTERS).map(filter)
  return (account) => filters.every((matches) => matches(account))
}

function filter(value: unknown): AccountFilter {
  if (value === 'tokenAccountState') return (account) => decodeTokenAccount(account) !== null
  const fields = new Config(value, 'filter')
  const size = fields.value('dataSize')
  if (size !== undefined) {
    const bytes = asInteger(size, 'dataSize')
    return ({ data }) => data.length === bytes
  }
  const memcmp = fields.config('memcmp')
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
  const bytes = Array.isArray(value) ? byteArray(value) : decode(asText(value, 'memcmp.bytes'), encoding)
  if (bytes === null) throw invalidParams(`Invalid param: memcmp.bytes is not ${encoding}`)
  if (bytes.length > MAX_MEMCMP_BYTES) throw invalidParams('Invalid param: memcmp.bytes is over 128 bytes')
  return bytes
}

function byteArray(values: readonly unknown[]): Uint8Array | null {
  const isByte = (each: unknown): boolean =>
    Number.isInteger(each) && Number(each) >= 0 && Number(each) <= 255
  return values.every(isByte) ? Uint8Array.from(values as number[]) : null
}

function decode(text: string, encoding: string): Uint8Array | null {
  // 128 bytes make at most 175 characters of base-58.
  if (encoding === 'base58')
    return text.length > 175 ? new Uint8Array(129) : (bs58.decodeUnsafe(text) ?? null)
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
