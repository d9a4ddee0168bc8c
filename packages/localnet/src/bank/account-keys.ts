import { isStaticWritable, type Message, type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'

export interface AccountKeys {
  /** Static keys, then those loaded as writable, then those loaded as read-only: the order of account indexes. */
  readonly all: readonly Pubkey[]
  readonly writable: ReadonlySet<Pubkey>
  /** Neither writable nor passed to an instruction: programs, and keys without any use. */
  readonly idle: readonly Pubkey[]
  readonly loaded: { readonly writable: readonly Pubkey[]; readonly readonly: readonly Pubkey[] }
}

// The addresses of a lookup table start behind its metadata.
const TABLE_HEADER_BYTES = 56

/** Follows the lookup tables. An address that a table does not hold is left out: the VM refuses such a transaction. */
export function accountKeys(message: Message, read: (key: Pubkey) => Account | null): AccountKeys {
  const writable: Pubkey[] = []
  const readonly: Pubkey[] = []
  for (const lookup of message.lookups) {
    const data = read(lookup.table)?.data ?? new Uint8Array()
    writable.push(...addresses(data, lookup.writable))
    readonly.push(...addresses(data, lookup.readonly))
  }
  const staticWritable = message.staticKeys.filter((_, index) => isStaticWritable(message, index))
  const all = [...message.staticKeys, ...writable, ...readonly]
  const allWritable = new Set([...staticWritable, ...writable])
  const passed = new Set(message.instructions.flatMap((each) => [...each.accounts]))
  return {
    all,
    writable: allWritable,
    idle: all.filter((key, index) => !allWritable.has(key) && !passed.has(index)),
    loaded: { writable, readonly },
  }
}

function addresses(table: Uint8Array, indexes: Uint8Array): Pubkey[] {
  const found: Pubkey[] = []
  for (const index of indexes) {
    const start = TABLE_HEADER_BYTES + 32 * index
    if (start + 32 <= table.length) found.push(pubkeyFromBytes(table.subarray(start, start + 32)))
  }
  return found
}
