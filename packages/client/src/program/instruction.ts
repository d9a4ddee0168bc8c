import type { Codec } from '@agent-registry/solana/borsh'
import {
  type AccountMeta,
  concat,
  type NamedInstruction,
  pubkeyBytes,
  utf8,
} from '@agent-registry/solana/wire'
import { programAddress } from './program-address.ts'

export type AccountKey = AccountMeta<string>

/** An instruction, as the relay and `@solana/web3.js` name its parts. */
export type Instruction = NamedInstruction<string>

/** `s` signer, `w` writable. */
type Flags = '' | 's' | 'w' | 'sw'
/** Text, or `$name`: the address of the account of this name. */
type Seeds = readonly string[]
/** The accounts of an instruction in order. Those with a list are found if they are not given. */
type AccountSpecs = Readonly<Record<string, Flags | readonly [Flags, source?: string | Seeds]>>
type Codecs = Readonly<Record<string, Codec<unknown>>>

type Given<Specs> = {
  readonly [Name in keyof Specs as Specs[Name] extends Flags ? Name : never]: string
} & { readonly [Name in keyof Specs as Specs[Name] extends Flags ? never : Name]?: string | undefined }
type Value<Type> = Type extends { write(value: infer Given): Uint8Array } ? Given : never
type Values<All> = {
  readonly [Name in keyof All as undefined extends Value<All[Name]> ? never : Name]: Value<All[Name]>
} & { readonly [Name in keyof All as undefined extends Value<All[Name]> ? Name : never]?: Value<All[Name]> }

/** What an instruction consists of. Its data is the discriminator and the arguments. */
export interface Layout {
  readonly discriminator: readonly number[]
  readonly accounts: readonly string[]
  readonly args: Readonly<Record<string, Codec<unknown>>>
}

/** A builder. Throws TypeError if an account is missing or a value does not fit. */
export type Build<Specs, All> = { readonly layout: Layout } & ([keyof All] extends [never]
  ? (accounts: Given<Specs>, program?: string) => Promise<Instruction>
  : (accounts: Given<Specs>, args: Values<All>, program?: string) => Promise<Instruction>)

/**
 * The builder of an instruction. `address` is the program if the caller of the builder names none.
 */
export function instruction<const Specs extends AccountSpecs, const All extends Codecs>(
  address: string,
  discriminator: readonly number[],
  specs: Specs,
  codecs: All,
): Build<Specs, All> {
  const hasArgs = Object.keys(codecs).length > 0
  const build = async (given: object, ...rest: unknown[]): Promise<Instruction> => {
    const [values = {}, program = address] = (hasArgs ? rest : [{}, ...rest]) as [
      values?: Record<string, unknown>,
      program?: string,
    ]
    const keys = await keysOf(program, specs, given)
    const data = Object.entries(codecs).map(([name, codec]) => {
      try {
        return codec.write(values[name])
      } catch (error) {
        throw new TypeError(`${name}: ${(error as Error).message}`, { cause: error })
      }
    })
    return { programId: program, keys, data: concat(discriminator, ...data) }
  }
  const layout: Layout = { discriminator, accounts: Object.keys(specs), args: codecs }
  return Object.assign(build, { layout })
}

async function keysOf(program: string, specs: AccountSpecs, given: object): Promise<AccountKey[]> {
  const known: Record<string, string | undefined> = { ...given }
  known.program ??= program
  const keys: AccountKey[] = []
  for (const [name, spec] of Object.entries(specs)) {
    const [flags, source] = typeof spec === 'string' ? [spec] : spec
    const find = () => (typeof source === 'object' ? deriveAddress(program, source, known) : source)
    const pubkey = known[name] ?? (await find())
    if (pubkey === undefined) throw new TypeError(`The account ${name} is required`)
    pubkeyBytes(pubkey)
    known[name] = pubkey
    keys.push({ pubkey, isSigner: flags.includes('s'), isWritable: flags.includes('w') })
  }
  return keys
}

/** The address that the seeds derive. */
export function deriveAddress(
  program: string,
  seeds: Seeds,
  known: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const bytes = seeds.map((seed) => {
    if (!seed.startsWith('$')) return utf8(seed)
    const address = known[seed.slice(1)]
    if (address === undefined) throw new TypeError(`The account ${seed.slice(1)} is required`)
    return pubkeyBytes(address)
  })
  return programAddress(program, bytes)
}
