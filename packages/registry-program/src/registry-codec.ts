import { ACCOUNT_BYTES } from './account-bytes.ts'
import { ByteReader, ByteWriter } from './idl/bytes.ts'
import { type Codec, camelCase, codecOf, structCodec } from './idl/codec.ts'
import { registryIdl as idl } from './idl/types.ts'
import type { RegistryAccount, RegistryEvent } from './registry-types.ts'

type Discriminated = Map<string, { name: string; codec: Codec }>

const byDiscriminator = (entries: { name: string; discriminator: number[] }[]): Discriminated =>
  new Map(
    entries.map(({ name, discriminator }) => [
      Buffer.from(discriminator).toString('hex'),
      { name, codec: codecOf(idl, { defined: { name } }) },
    ]),
  )

const accounts = byDiscriminator(idl.accounts)
const events = byDiscriminator(idl.events)
const argumentCodecs = new Map(
  idl.instructions.map((each) => [
    each.name,
    structCodec(each.args.map((arg) => [camelCase(arg.name), codecOf(idl, arg.type)])),
  ]),
)

function decode(
  table: Discriminated,
  data: Uint8Array,
  exact: boolean,
): { name: string; data: unknown } | null {
  const found = table.get(Buffer.from(data.subarray(0, 8)).toString('hex'))
  if (found === undefined) return null
  const reader = new ByteReader(data, 8)
  const value = found.codec.read(reader)
  if (exact && reader.remaining > 0)
    throw new RangeError(`${found.name} has ${reader.remaining} bytes too many`)
  return { name: found.name, data: value }
}

/**
 * Decodes account data; null when the discriminator is not the registry's. Throws when the data is malformed, or not as long as
 * the program allocates it: what lies in such an account was not written by this layout.
 */
export function decodeAccount(data: Uint8Array): RegistryAccount | null {
  const account = decode(accounts, data, false) as RegistryAccount | null
  if (account !== null && data.length !== ACCOUNT_BYTES[account.name])
    throw new RangeError(
      `${account.name} has ${data.length} bytes in place of ${ACCOUNT_BYTES[account.name]}`,
    )
  return account
}

/** Decodes the bytes of one `Program data:` log line; null when the discriminator is not the registry's. */
export function decodeEvent(data: Uint8Array): RegistryEvent | null {
  return decode(events, data, true) as RegistryEvent | null
}

/** Instruction data: discriminator and arguments; option arguments may be left out. */
export function encodeInstruction(name: string, args: Record<string, unknown>): Buffer {
  const instruction = idl.instructions.find((each) => each.name === name)
  const codec = argumentCodecs.get(name)
  if (instruction === undefined || codec === undefined) throw new Error(`the IDL has no instruction ${name}`)
  const writer = new ByteWriter()
  writer.bytes(Uint8Array.from(instruction.discriminator))
  codec.write(writer, args)
  return writer.finish()
}

/** The arguments of an instruction of the registry, or null when the discriminator is unknown. */
export function decodeInstruction(data: Uint8Array): { name: string; args: Record<string, unknown> } | null {
  const head = Buffer.from(data.subarray(0, 8))
  const instruction = idl.instructions.find((each) => head.equals(Uint8Array.from(each.discriminator)))
  const codec = instruction && argumentCodecs.get(instruction.name)
  if (codec === undefined) return null
  const reader = new ByteReader(data, 8)
  const args = codec.read(reader) as Record<string, unknown>
  if (reader.remaining > 0)
    throw new RangeError(`${instruction?.name} has ${reader.remaining} bytes too many`)
  return { name: instruction?.name ?? '', args }
}

/** The IDL name of a custom program error code, such as `Paused` for 6014. */
export function programErrorName(code: number): string | undefined {
  return idl.errors.find((each) => each.code === code)?.name
}
