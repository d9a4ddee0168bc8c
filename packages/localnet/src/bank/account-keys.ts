import { isStaticWritable, type Message, type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import type { AccountReader } from '../vm/account.ts'

export interface AccountKeys {
  /** In the order of account indexes: static keys, loaded writable keys, loaded read-only keys. */
  readonly all: readonly Pubkey[]
  readonly writable: ReadonlySet<Pubkey>
  /** Keys that are not writable and that no instruction uses, such as programs. */
  readonly idle: readonly Pubkey[]
  /** The keys from lookup tables. */
  readonly loaded: { readonly writable: readonly Pubkey[]; readonly readonly: readonly Pubkey[] }
}

// The addresses of a lookup table come after its metadata.
const TABLE_HEADER_BYTES = 56

/** Resolves lookup tables. Missing addresses are left out, and the VM refuses such a transaction. */
export function accountKeys(message: Message, read: AccountReader): AccountKeys {
  const load = (kind: 'writable' | 'readonly'): Pubkey[] =>
    message.lookups.flatMap((lookup) => addressesAt(read(lookup.table)?.data, lookup[kind]))
  const loaded = { writable: load('writable'), readonly: load('readonly') }
  const all = [...message.staticKeys, ...loaded.writable, ...loaded.readonly]
  const staticWritable = message.staticKeys.filter((_, index) => isStaticWritable(message, index))
  const writable = new Set([...staticWritable, ...loaded.writable])
  const used = new Set(message.instructions.flatMap((each) => [...each.accounts]))
  const idle = all.filter((key, index) => !writable.has(key) && !used.has(index))
  return { all, writable, idle, loaded }
}

function addressesAt(table: Uint8Array | undefined, indexes: Uint8Array): Pubkey[] {
  const offsets = [...indexes].map((index) => TABLE_HEADER_BYTES + 32 * index)
  return offsets.flatMap((start) => {
    const isThere = table !== undefined && start + 32 <= table.length
    return isThere ? [pubkeyFromBytes(table.subarray(start, start + 32))] : []
  })
}
