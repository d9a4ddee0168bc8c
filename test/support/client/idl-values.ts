import * as fc from '../property.ts'
import { camelCase, type registryIdl } from '@agent-registry/program'
import { type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import { SERVICE_CATEGORY } from '@agent-registry/client/instructions'

type IdlInstruction = (typeof registryIdl.instructions)[number]
type IdlType = IdlInstruction['args'][number]['type']

const randomKey: fc.Arbitrary<Pubkey> = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(pubkeyFromBytes)

/** The accounts that a builder cannot find. */
export const neededAccounts = ({ accounts }: IdlInstruction) =>
  accounts.filter(({ pda, address, name }) => !pda && !address && name !== 'program')

/** Random accounts and arguments of an instruction, by their names in the client. */
export function randomInput(instruction: IdlInstruction) {
  const accounts = neededAccounts(instruction).map(({ name }) => [camelCase(name), randomKey])
  const args = instruction.args.map(({ name, type }) => [camelCase(name), randomValue(type)])
  return {
    accounts: fc.record(Object.fromEntries(accounts) as Record<string, typeof randomKey>),
    args: fc.record(Object.fromEntries(args) as Record<string, fc.Arbitrary<unknown>>),
  }
}

function randomValue(type: IdlType): fc.Arbitrary<unknown> {
  if (type === 'u64') return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  if (type === 'i64') return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  if (type === 'i16') return fc.integer({ min: -32_768, max: 32_767 })
  if (type === 'u8') return fc.integer({ min: 0, max: 255 })
  if (type === 'string') return fc.string({ unit: 'grapheme', maxLength: 40 })
  if (type === 'pubkey') return randomKey
  if (type === 'bool') return fc.boolean()
  if (typeof type === 'string') throw new Error(`no values of ${type}`)
  if ('option' in type) return fc.option(randomValue(type.option))
  if ('defined' in type) return fc.constantFrom(...SERVICE_CATEGORY)
  const [item, length] = type.array
  if (item === 'u8') return fc.uint8Array({ minLength: length, maxLength: length })
  return fc.array(randomValue(item), { minLength: length, maxLength: length })
}
