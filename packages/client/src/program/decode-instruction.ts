import { LAYOUTS } from '../generated/layouts.ts'
import { PROGRAM } from '../generated/program.ts'
import type { DecodedValue, Read } from './borsh-reader.ts'
import type { AccountKey, Instruction } from './instruction.ts'

export interface Layout {
  readonly name: string
  readonly discriminator: readonly number[]
  readonly accounts: readonly string[]
  readonly args: Readonly<Record<string, Read>>
}

/** An instruction of the registry program in words. Names are in camelCase. */
export interface DecodedInstruction {
  /** Such as `registerAgent`. */
  readonly name: string
  /** In the order of the instruction. `name` is null for accounts that the IDL does not name. */
  readonly accounts: readonly (AccountKey & { readonly name: string | null })[]
  readonly args: Readonly<Record<string, DecodedValue>>
}

const DISCRIMINATOR_BYTES = 8

/**
 * Decodes an instruction of the registry program by its IDL. Null if another program is called, or
 * if the data does not have exactly the bytes of an instruction.
 */
export function decodeInstruction(
  { programId, keys, data }: Instruction,
  program: string = PROGRAM,
): DecodedInstruction | null {
  const layout = LAYOUTS.find(({ discriminator }) => discriminator.every((byte, i) => byte === data[i]))
  if (programId !== program || layout === undefined) return null
  let offset = DISCRIMINATOR_BYTES
  const take = (length: number): Uint8Array => {
    offset += length
    if (offset > data.length) throw new RangeError('The data is too short')
    return data.subarray(offset - length, offset)
  }
  try {
    const args = Object.fromEntries(Object.entries(layout.args).map(([name, read]) => [name, read(take)]))
    if (offset !== data.length) return null
    const accounts = keys.map((key, i) => ({ ...key, name: layout.accounts[i] ?? null }))
    return { name: layout.name, accounts, args }
  } catch {
    return null
  }
}
