import * as fc from '../../../test/support/property.ts'
import { expect, test } from 'vitest'
import { pubkeyFromBytes } from '@agent-registry/solana'
import { decodeInstruction } from '../src/decode.ts'
import * as program from '../src/generated/program.ts'

const OWNER = pubkeyFromBytes(new Uint8Array(32).fill(7))
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const update = fc.record({
  name: fc.option(fc.string()),
  serviceCategory: fc.option(fc.constantFrom(...program.SERVICE_CATEGORY)),
  capabilities: fc.option(fc.bigInt(0n, 2n ** 64n - 1n)),
  version: fc.option(fc.string()),
  agentCardUrl: fc.option(fc.webUrl()),
  agentCardHash: fc.option(bytes),
})

test('a built instruction is decoded to its name, its accounts and its values', async () => {
  await fc.assert(
    fc.asyncProperty(update, async (values) => {
      const built = await program.updateAgent({ owner: OWNER }, values)
      const decoded = decodeInstruction(built)!
      expect(decoded.name).toBe('updateAgent')
      expect(decoded.accounts.map(({ name }) => name)).toEqual([
        'owner',
        'agent',
        'config',
        'eventAuthority',
        'program',
      ])
      expect(decoded.accounts[0]).toEqual({ name: 'owner', pubkey: OWNER, isSigner: true, isWritable: false })
      const hash = values.agentCardHash && Buffer.from(values.agentCardHash).toString('hex')
      expect(decoded.args).toEqual({ ...values, agentCardHash: hash })
    }),
    { numRuns: 50 },
  )
})

test('signed and long numbers, flags, keys and lists are decoded', async () => {
  const report = await program.reportBehavior({ authority: OWNER, agent: OWNER }, { delta: -50, reason: 3 })
  expect(decodeInstruction(report)!.args).toEqual({ delta: -50, reason: 3 })
  const tierThresholds = [0n, 1n, 2n, 2n ** 64n - 1n]
  const config = await program.updateConfig(
    { admin: OWNER },
    { treasury: OWNER, tierThresholds, cooldownSeconds: -1n, paused: true },
  )
  expect(decodeInstruction(config)!.args).toEqual({
    admin: null,
    treasury: OWNER,
    tierThresholds,
    cooldownSeconds: -1n,
    paused: true,
  })
})

test('other programs and data that is not exactly an instruction are not decoded', async () => {
  const accounts = { payer: OWNER, owner: OWNER, ownerToken: OWNER, usdcMint: OWNER }
  const deposit = await program.deposit(accounts, { amount: 5n })
  expect(decodeInstruction(deposit)!.args).toEqual({ amount: 5n })
  expect(decodeInstruction({ ...deposit, programId: OWNER })).toBeNull()
  expect(decodeInstruction({ ...deposit, programId: OWNER }, OWNER)!.name).toBe('deposit')
  expect(decodeInstruction({ ...deposit, data: deposit.data.slice(0, -1) })).toBeNull()
  expect(decodeInstruction({ ...deposit, data: new Uint8Array([...deposit.data, 0]) })).toBeNull()
  expect(decodeInstruction({ ...deposit, data: new Uint8Array(8) })).toBeNull()
  const { data } = await program.updateAgent({ owner: OWNER }, { name: 'A' })
  for (let length = 0; length < data.length; length += 1)
    expect(decodeInstruction({ ...deposit, data: data.slice(0, length) })).toBeNull()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (random) => {
      const noise = new Uint8Array([...data.slice(0, 8), ...random])
      expect(() => decodeInstruction({ ...deposit, data: noise })).not.toThrow()
    }),
  )
})
