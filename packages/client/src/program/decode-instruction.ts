import { ByteReader, toHex } from '@agent-registry/solana/wire'
import { INSTRUCTIONS, PROGRAM } from '../generated/program.ts'
import type { AccountKey, Instruction } from './instruction.ts'

/** A value of an argument. Bytes are hex. */
export type DecodedValue = bigint | number | string | boolean | null | readonly DecodedValue[]

/** An instruction of the registry program in words. Names are in camelCase. */
export interface DecodedInstruction {
  /** Such as `registerAgent`. */
  readonly name: string
  /** In the order of the instruction. `name` is null for accounts that the IDL does not name. */
  readonly accounts: readonly (AccountKey & { readonly name: string | null })[]
  readonly args: Readonly<Record<string, DecodedValue>>
}

/**
 * Decodes an instruction of the registry program by its IDL. Null if another program is called, or
 * if the data does not have exactly the bytes of an instruction.
 */
export function decodeInstruction(
  { programId, keys, data }: Instruction,
  program: string = PROGRAM,
): DecodedInstruction | null {
  const [name, builder] =
    Object.entries(INSTRUCTIONS).find(([, { layout }]) =>
      layout.discriminator.every((byte, i) => byte === data[i]),
    ) ?? []
  if (programId !== program || name === undefined || builder === undefined) return null
  const { discriminator, accounts: names, args: codecs } = builder.layout
  const reader = new ByteReader(data.subarray(discriminator.length))
  try {
    const args = Object.fromEntries(
      Object.entries(codecs).map(([key, codec]) => [key, shown(codec.read(reader))]),
    )
    reader.end()
    return { name, accounts: keys.map((key, i) => ({ ...key, name: names[i] ?? null })), args }
  } catch {
    return null
  }
}

function shown(value: unknown): DecodedValue {
  return value instanceof Uint8Array ? toHex(value) : (value as DecodedValue)
}
