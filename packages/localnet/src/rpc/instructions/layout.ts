import type { Pubkey } from '@agent-registry/solana'
import { type DataReader, NotParsableError } from '../data-reader.ts'

/** How a node shows one kind of instruction. The names are the members of `info`. */
export interface InstructionLayout {
  readonly type: string
  /** The accounts in their order. */
  readonly accounts: readonly string[]
  /** The smallest number of accounts, if it is not the number of names. */
  readonly min?: number
  /** Accounts after the others that may be absent. They are left out then. */
  readonly optional?: readonly string[]
  /** Accounts after the others that may be absent. They are null then. */
  readonly nullable?: readonly string[]
  /** The next account is an authority, or a multisig account with its signers after it. */
  readonly authority?: string
  /** All accounts after the others. */
  readonly rest?: string
  /** The members that come from the data. */
  readonly data?: (reader: DataReader) => object
}

/** Throws NotParsableError if accounts or data are missing. */
export function parseLayout(
  layout: InstructionLayout | undefined,
  accounts: readonly Pubkey[],
  reader: DataReader,
): { type: string; info: object } {
  if (layout === undefined) throw new NotParsableError('unknown instruction')
  const { type, accounts: names, optional = [], nullable = [], authority, rest, data } = layout
  const hasMore = authority !== undefined || rest !== undefined
  if (accounts.length < (layout.min ?? names.length + (hasMore ? 1 : 0)))
    throw new NotParsableError('not enough accounts')
  const info: Record<string, unknown> = { ...data?.(reader) }
  for (const [index, name] of names.entries()) info[name] = accounts[index]
  const others = accounts.slice(names.length)
  for (const [index, name] of optional.entries()) if (others.length > index) info[name] = others[index]
  for (const [index, name] of nullable.entries()) info[name] = others[index] ?? null
  if (rest !== undefined) info[rest] = others
  if (authority !== undefined) Object.assign(info, authorityOf(authority, others))
  return { type, info }
}

function authorityOf(name: string, [authority, ...signers]: readonly Pubkey[]): object {
  if (signers.length === 0) return { [name]: authority }
  return { [`multisig${name[0]?.toUpperCase()}${name.slice(1)}`]: authority, signers }
}
