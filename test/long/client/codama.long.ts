import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { address, createNoopSigner, type Instruction as KitInstruction } from '@solana/kit'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { camelCase, registryIdl } from '@agent-registry/program'
import { pubkeyFromBytes } from '@agent-registry/solana'
import * as program from '@agent-registry/client/instructions'
import { toKitInstruction } from '@agent-registry/client/kit'
import { installTools, ROOT, run } from '../../support/client/packed-client.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

type Build = (accounts: object, args?: object) => Promise<Parameters<typeof toKitInstruction>[0]>
const builders = new Map(Object.entries(program) as unknown as [string, Build][])
let codama: Map<string, (input: object) => KitInstruction | Promise<KitInstruction>>

beforeAll(async () => {
  const tools = await installTools('codama')
  const idl = join(ROOT, 'packages/registry-program/idl.json')
  const folder = temporaryFolder('codama-')
  await run(process.execPath, ['codama.mjs', idl, folder], tools)
  symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'))
  const module = join(folder, 'src/generated/index.ts')
  codama = new Map(Object.entries((await import(/* @vite-ignore */ pathToFileURL(module).href)) as object))
})

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => address(pubkeyFromBytes(bytes)))
type Type = (typeof registryIdl.instructions)[number]['args'][number]['type']

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
  if ('defined' in type) return fc.nat({ max: program.SERVICE_CATEGORY.length - 1 })
  const [item, length] = type.array
  if (item === 'u8') return fc.uint8Array({ minLength: length, maxLength: length })
  return fc.array(valueOf(item), { minLength: length, maxLength: length })
}

test.each(registryIdl.instructions)(
  'the builder of $name returns the same instruction as the client that Codama generates',
  async ({ name, accounts, args }) => {
    const title = name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const oracle = codama.get(`get${title}InstructionAsync`) ?? codama.get(`get${title}Instruction`)
    const needed = accounts.filter((each) => !each.pda && !each.address && each.name !== 'program')
    const given = fc.record(Object.fromEntries(needed.map((each) => [camelCase(each.name), key])))
    const values = fc.record(
      Object.fromEntries(args.map((each) => [camelCase(each.name), valueOf(each.type)])),
    )
    await fc.assert(
      fc.asyncProperty(given, values, async (keys, argValues) => {
        const signers = Object.fromEntries(
          needed.map((each) => {
            const account = keys[camelCase(each.name)]!
            return [camelCase(each.name), each.signer === true ? createNoopSigner(account) : account]
          }),
        )
        // Codama renames arguments that have the name of an account.
        const renamed = Object.entries(argValues).map(([each, value]) => [
          each in keys ? `${each}Arg` : each,
          value,
        ])
        const self = accounts.some((each) => each.name === 'program')
          ? { program: address(program.PROGRAM) }
          : {}
        const expected = await oracle!({ ...signers, ...self, ...Object.fromEntries(renamed) })
        const named =
          'serviceCategory' in argValues && typeof argValues.serviceCategory === 'number'
            ? { ...argValues, serviceCategory: program.SERVICE_CATEGORY[argValues.serviceCategory] }
            : argValues
        const built = toKitInstruction(
          await builders.get(camelCase(name))!(keys, ...(args.length > 0 ? [named] : [])),
        )
        expect(built.programAddress).toBe(expected.programAddress)
        expect(built.accounts).toEqual(
          expected.accounts?.map((each) => ({ address: each.address, role: each.role })),
        )
        expect(Buffer.from(built.data!)).toEqual(Buffer.from(expected.data!))
      }),
      { numRuns: 100 },
    )
  },
)
