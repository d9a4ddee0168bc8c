import { PublicKey } from '@solana/web3.js'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { registryAddresses, registryIdl, registryInstruction } from '@agent-registry/program'
import { associatedTokenAccount, pubkey } from '@agent-registry/solana'
import * as program from '../src/generated/program.ts'
import { addressBytes, toBase58 } from '../src/program/base58.ts'
import { isOnCurve, tokenAccount } from '../src/program/program-address.ts'
import { camelCase } from '@agent-registry/program'

type Build = (
  accounts: object,
  args?: object,
) => Promise<{ programId: string; keys: object[]; data: Uint8Array }>
const builders = new Map(Object.entries(program) as unknown as [string, Build][])

const PROGRAM = pubkey(program.PROGRAM)
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => pubkey(toBase58(bytes)))
type Type = (typeof registryIdl.instructions)[number]['args'][number]['type']

/** A random value of an IDL type. */
function valueOf(type: Type): fc.Arbitrary<unknown> {
  if (type === 'u64') return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  if (type === 'i64') return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  if (type === 'i16') return fc.integer({ min: -32_768, max: 32_767 })
  if (type === 'u8') return fc.integer({ min: 0, max: 255 })
  if (type === 'string') return fc.string({ unit: 'grapheme', maxLength: 40 })
  if (type === 'pubkey') return key
  if (type === 'bool') return fc.boolean()
  if (typeof type === 'string') throw new Error(`no values of ${type}`)
  if ('option' in type) return fc.option(valueOf(type.option))
  if ('defined' in type) return fc.constantFrom(...program.SERVICE_CATEGORY)
  const [item, length] = type.array
  if (item === 'u8') return fc.uint8Array({ minLength: length, maxLength: length })
  return fc.array(valueOf(item), { minLength: length, maxLength: length })
}

test.each(registryIdl.instructions)(
  'the builder of $name returns the same instruction as the codec of the program',
  async ({ name, accounts, args }) => {
    const needed = accounts.filter(({ pda, address, name }) => !pda && !address && name !== 'program')
    const build = builders.get(camelCase(name))!
    const given = fc.record(Object.fromEntries(needed.map((each) => [camelCase(each.name), key])))
    // Seeds such as `owner` and `agent` are accounts, too.
    const values = fc.record(
      Object.fromEntries(args.map((each) => [camelCase(each.name), valueOf(each.type)])),
    )
    await fc.assert(
      fc.asyncProperty(given, values, async (accountKeys, argValues) => {
        const built = await build(accountKeys, ...(args.length > 0 ? [argValues] : []))
        const expected = registryInstruction(PROGRAM, name, accountKeys, argValues)
        expect(built.programId).toBe(PROGRAM)
        expect(built.keys).toEqual(expected.keys.map((each) => ({ ...each, pubkey: each.pubkey.toBase58() })))
        expect(Buffer.from(built.data)).toEqual(Buffer.from(expected.data))
      }),
      { numRuns: 5 },
    )
  },
)

test('the derived addresses are those of the program and of web3.js', async () => {
  const addresses = registryAddresses(PROGRAM)
  await fc.assert(
    fc.asyncProperty(key, key, async (owner, mint) => {
      expect(await program.agentAddress(owner)).toBe(addresses.agent(owner))
      expect(await program.stakeAddress(owner)).toBe(addresses.stake(owner))
      expect(await tokenAccount(owner, mint)).toBe(associatedTokenAccount(owner, mint))
      expect(isOnCurve(addressBytes(owner))).toBe(PublicKey.isOnCurve(new PublicKey(owner)))
    }),
    { numRuns: 20 },
  )
})

test('a value that does not fit names its argument', async () => {
  const owner = PROGRAM
  const accounts = { payer: owner, owner, ownerToken: owner, usdcMint: owner }
  await expect(program.deposit(accounts, { amount: -1n })).rejects.toThrow('amount: Expected 0 to')
  await expect(program.deposit(accounts, { amount: 2n ** 64n })).rejects.toThrow('amount: Expected 0 to')
  await expect(program.deposit({ ...accounts, owner: 'x' }, { amount: 1n })).rejects.toThrow(
    'An address must be base-58 of 32 bytes, got "x"',
  )
  await expect(program.suspendAgent({ authority: owner } as never)).rejects.toThrow('agent is required')
  const card = { agentCardUrl: 'https://a.example', agentCardHash: new Uint8Array(31) }
  await expect(
    program.registerAgent({ payer: owner, owner }, { name: 'A', serviceCategory: 'other', ...card }),
  ).rejects.toThrow('agentCardHash: Expected 32 items, got 31')
})
