import { ByteReader } from '@agent-registry/solana'
import type { Codec } from '@agent-registry/solana/borsh'
import { codecOf, structCodec } from './borsh.ts'
import { registryIdl as idl } from './idl.ts'
import type { RegistryAccounts, RegistryEvents } from './generated/types.ts'

type Named<Map> = { [Name in keyof Map]: { name: Name; data: Map[Name] } }[keyof Map]

export type RegistryAccount = Named<RegistryAccounts>
export type RegistryEvent = Named<RegistryEvents>

/** Reputation is a number from 0 to this limit. */
export const MAX_REPUTATION = 1000
/** The base units in 1 USDC, which has six decimals. */
export const USDC_UNIT = 1_000_000n

/**
 * The size of each account, with its discriminator. The program accepts no other size. Agents and
 * reporters contain texts, so zeros follow their last field.
 */
export const ACCOUNT_BYTES: Record<keyof RegistryAccounts, number> = {
  RegistryConfig: 146,
  Agent: 421,
  Stake: 129,
  WithdrawalRequest: 57,
  ReputationReporter: 119,
  DeactivationRecord: 51,
}

interface Layout {
  readonly name: string
  readonly discriminator: Buffer
  readonly codec: Codec<unknown>
}

const layout = (entry: { name: string; discriminator: number[] }, codec?: Layout['codec']): Layout => ({
  name: entry.name,
  discriminator: Buffer.from(entry.discriminator),
  codec: codec ?? codecOf(idl, { defined: { name: entry.name } }),
})
const accounts = idl.accounts.map((each) => layout(each))
const events = idl.events.map((each) => layout(each))
const instructions = idl.instructions.map((each) => layout(each, structCodec(idl, each.args)))

function decode(layouts: readonly Layout[], data: Uint8Array): { name: string; data: unknown } | null {
  const found = layouts.find((each) => each.discriminator.equals(data.subarray(0, 8)))
  if (found === undefined) return null
  const { name, codec } = found
  const reader = new ByteReader(data.subarray(8))
  const value = codec.read(reader)
  if (layouts !== accounts && reader.remaining > 0)
    throw new RangeError(`${name} has ${reader.remaining} extra bytes`)
  return { name, data: value }
}

function encode(layouts: readonly Layout[], name: string, value: unknown): Buffer {
  const found = layouts.find((each) => each.name === name)
  if (found === undefined) throw new Error(`the IDL does not define ${name}`)
  return Buffer.concat([found.discriminator, found.codec.write(value)])
}

/**
 * Returns null if the discriminator is not one of the registry's.
 * @throws RangeError or TypeError for malformed data, and for data of a size that the program
 * never allocates
 */
export function decodeAccount(data: Uint8Array): RegistryAccount | null {
  const account = decode(accounts, data) as RegistryAccount | null
  if (account !== null && data.length !== ACCOUNT_BYTES[account.name])
    throw new RangeError(`${account.name} has ${data.length} bytes instead of ${ACCOUNT_BYTES[account.name]}`)
  return account
}

/** Encodes an account at its full size. */
export function encodeAccount(account: RegistryAccount): Buffer {
  const data = encode(accounts, account.name, account.data)
  return Buffer.concat([data], ACCOUNT_BYTES[account.name])
}

/** The data of an instruction that carries an event starts with these 8 bytes, as in Anchor. */
export const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex')

/**
 * The event in the data of an instruction: the bytes between EVENT_TAG and the last byte, which is
 * the bump of the event authority. Null if the data does not start with EVENT_TAG.
 */
export function eventBytes(data: Uint8Array): Uint8Array | null {
  return EVENT_TAG.equals(data.subarray(0, EVENT_TAG.length)) ? data.subarray(EVENT_TAG.length, -1) : null
}

/**
 * Decodes an event: discriminator and Borsh. Returns null if the discriminator is not one of the
 * registry's.
 * @throws RangeError or TypeError for malformed data
 */
export function decodeEvent(data: Uint8Array): RegistryEvent | null {
  return decode(events, data) as RegistryEvent | null
}

export function encodeEvent(event: RegistryEvent): Buffer {
  return encode(events, event.name, event.data)
}

/** Encodes instruction data. Arguments of type option may be missing. */
export function encodeInstruction(name: string, args: Record<string, unknown>): Buffer {
  return encode(instructions, name, args)
}

/**
 * Decodes instruction data. Returns null if the discriminator is not one of the registry's.
 * @throws RangeError or TypeError for malformed data
 */
export function decodeInstruction(data: Uint8Array): { name: string; args: Record<string, unknown> } | null {
  const decoded = decode(instructions, data)
  return decoded && { name: decoded.name, args: decoded.data as Record<string, unknown> }
}

/** The IDL's name for a custom program error code, such as `Paused` for 6014. */
export function programErrorName(code: number): string | undefined {
  return idl.errors.find((each) => each.code === code)?.name
}
