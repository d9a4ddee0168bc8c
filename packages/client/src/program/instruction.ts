import { addressBytes } from './base58.ts'
import type { Write } from './borsh.ts'
import { concat, utf8 } from './bytes.ts'
import { programAddress } from './program-address.ts'

export interface AccountKey {
  /** Address, base-58. */
  readonly pubkey: string
  readonly isSigner: boolean
  readonly isWritable: boolean
}

/** An instruction, as the relay and `@solana/web3.js` name its parts. */
export interface Instruction {
  readonly programId: string
  readonly keys: readonly AccountKey[]
  readonly data: Uint8Array
}

/** `s` signer, `w` writable. */
export type Flags = '' | 's' | 'w' | 'sw'

/** An account of the IDL: its name, its flags, and how its address is found if it is not given. */
export type AccountSpec = readonly [name: string, flags: Flags, source?: string | readonly string[]]

/** A seed that is the address of the account of this name. Other seeds are text. */
const ACCOUNT_SEED = '$'

/** Builds an instruction of the registry program from its parts in the IDL. */
export async function build(
  program: string,
  [discriminator, accounts, args]: readonly [
    readonly number[],
    readonly AccountSpec[],
    readonly (readonly [name: string, write: Write])[],
  ],
  given: object,
  values: object = {},
): Promise<Instruction> {
  const known: Record<string, string | undefined> = { program, ...given }
  const keys: AccountKey[] = []
  for (const [name, flags, source] of accounts) {
    const address = known[name] ?? (await find(program, source, known))
    if (address === undefined) throw new TypeError(`The account ${name} is required`)
    addressBytes(address)
    known[name] = address
    keys.push({ pubkey: address, isSigner: flags.includes('s'), isWritable: flags.includes('w') })
  }
  const data = args.map(([name, write]) => {
    try {
      return write((values as Record<string, unknown>)[name] as never)
    } catch (error) {
      throw new TypeError(`${name}: ${(error as Error).message}`, { cause: error })
    }
  })
  return { programId: program, keys, data: concat(discriminator, ...data) }
}

async function find(
  program: string,
  source: string | readonly string[] | undefined,
  known: Record<string, string | undefined>,
): Promise<string | undefined> {
  if (typeof source !== 'object') return source
  return deriveAddress(program, source, known)
}

/** The address that the seeds derive. `$name` is the address of that account. */
export function deriveAddress(
  program: string,
  seeds: readonly string[],
  known: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const bytes = seeds.map((seed) => {
    if (!seed.startsWith(ACCOUNT_SEED)) return utf8(seed)
    const address = known[seed.slice(1)]
    if (address === undefined) throw new TypeError(`The account ${seed.slice(1)} is required`)
    return addressBytes(address)
  })
  return programAddress(program, bytes)
}
