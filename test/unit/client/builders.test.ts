import * as program from '@agent-registry/client/instructions'
import { camelCase, registryIdl, registryInstruction } from '@agent-registry/program'
import { pubkey } from '@agent-registry/solana'
import * as fc from '../../support/property.ts'
import { expect, test } from 'vitest'
import { randomInput } from '../../support/client/idl-values.ts'

type Build = (
  accounts: object,
  args?: object,
) => Promise<{ programId: string; keys: object[]; data: Uint8Array }>
const builders = new Map(Object.entries(program) as unknown as [string, Build][])

const PROGRAM = pubkey(program.PROGRAM)

test.each(registryIdl.instructions)(
  'the builder of $name returns the same instruction as the codec of the program',
  async (instruction) => {
    const { name } = instruction
    const build = builders.get(camelCase(name))!
    const input = randomInput(instruction)
    await fc.assert(
      fc.asyncProperty(input.accounts, input.args, async (accounts, args) => {
        const built = await build(accounts, ...(instruction.args.length > 0 ? [args] : []))
        const expected = registryInstruction(PROGRAM, name, accounts, args)
        expect(built.programId).toBe(PROGRAM)
        expect(built.keys).toEqual(expected.keys.map((each) => ({ ...each, pubkey: each.pubkey.toBase58() })))
        expect(Buffer.from(built.data)).toEqual(Buffer.from(expected.data))
      }),
      { numRuns: 60 },
    )
  },
)
