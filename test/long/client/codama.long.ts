import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { address, createNoopSigner, type Instruction as KitInstruction } from '@solana/kit'
import * as fc from '../../support/property.ts'
import { beforeAll, expect, test } from 'vitest'
import { camelCase, registryIdl } from '@agent-registry/program'
import * as program from '@agent-registry/client/instructions'
import { toKitInstruction } from '@agent-registry/client/kit'
import { neededAccounts, randomInput } from '../../support/client/idl-values.ts'
import { ROOT, run } from '../support/packed-client.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { installedTools } from '../../tools/install.ts'

type Build = (accounts: object, args?: object) => Promise<Parameters<typeof toKitInstruction>[0]>
const builders = new Map(Object.entries(program) as unknown as [string, Build][])
let codama: Map<string, (input: object) => KitInstruction | Promise<KitInstruction>>

beforeAll(async () => {
  const tools = installedTools('codama')
  const idl = join(ROOT, 'packages/registry-program/idl.json')
  const folder = temporaryFolder('codama-')
  await run(process.execPath, ['codama.mjs', idl, folder], tools)
  symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'))
  const module = join(folder, 'src/generated/index.ts')
  codama = new Map(Object.entries((await import(/* @vite-ignore */ pathToFileURL(module).href)) as object))
})

test.each(registryIdl.instructions)(
  'the builder of $name returns the same instruction as the client that Codama generates',
  async (instruction) => {
    const { name } = instruction
    const title = name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const oracle = codama.get(`get${title}InstructionAsync`) ?? codama.get(`get${title}Instruction`)
    const input = randomInput(instruction)
    await fc.assert(
      fc.asyncProperty(input.accounts, input.args, async (accounts, args) => {
        const expected = await oracle!(codamaInput(instruction, accounts, args))
        const given = instruction.args.length > 0 ? [args] : []
        const built = toKitInstruction(await builders.get(camelCase(name))!(accounts, ...given))
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

/**
 * Codama has signers, numbers for enums, and renames arguments that have the name of an account.
 */
function codamaInput(
  instruction: (typeof registryIdl.instructions)[number],
  accounts: Record<string, string>,
  args: Record<string, unknown>,
): object {
  const signers = neededAccounts(instruction).map((each) => {
    const key = address(accounts[camelCase(each.name)]!)
    return [camelCase(each.name), each.signer === true ? createNoopSigner(key) : key]
  })
  const values = Object.entries(args).map(([name, value]) => [
    name in accounts ? `${name}Arg` : name,
    name === 'serviceCategory' && value !== null ? program.SERVICE_CATEGORY.indexOf(value as never) : value,
  ])
  const hasProgram = instruction.accounts.some(({ name }) => name === 'program')
  return {
    ...Object.fromEntries(signers),
    ...(hasProgram ? { program: address(program.PROGRAM) } : {}),
    ...Object.fromEntries(values),
  }
}
