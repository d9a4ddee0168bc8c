import { PublicKey, TransactionInstruction } from '@solana/web3.js'
import * as fc from '../../../test/support/property.ts'
import { describe, expect, it } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import { registryIdl } from '../src/idl.ts'
import { scenario } from './support/scenarios.ts'

const ALLOWED = new Set([
  'initialize treasury admin',
  'initialize treasury config',
  'initialize treasury program_data',
  'initialize treasury usdc_mint',
  'initialize treasury system_program',
  'register_agent payer owner',
  'deposit payer owner',
])

// 'custom 1' is the error of the System and Token programs for insufficient funds.
const ANSWERS = new Set([null, 'custom 1', ...registryIdl.errors.map(({ name }) => name)])

describe.each(registryIdl.instructions)('$name', ({ name, accounts }) => {
  it('refuses every account in the place of another', () => {
    let { bench, instruction } = scenario(name)
    const pairs = accounts.flatMap((a, i) =>
      accounts.map((b, j) => ({ i, j, pair: `${name} ${a.name} ${b.name}` })),
    )
    for (const { i, j, pair } of pairs.filter((each) => each.i !== each.j)) {
      const { programId, data } = instruction
      const other = instruction.keys[j]?.pubkey ?? PublicKey.default
      const signs = bench.canSign(pubkey(other.toBase58()))
      const { isSigner, isWritable } = instruction.keys[i]!
      const keys = instruction.keys.with(i, { pubkey: other, isSigner: isSigner && signs, isWritable })
      const { error } = bench.send(new TransactionInstruction({ programId, keys, data }))
      expect([pair, error === null]).toEqual([pair, ALLOWED.has(pair)])
      expect(ANSWERS).toContain(error)
      if (error === null) ({ bench, instruction } = scenario(name))
    }
  })

  it('any argument bytes give a named error or a valid change', () => {
    const { bench, instruction } = scenario(name)
    const { programId, keys, data } = instruction
    const flips = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 0, max: 255 })), { maxLength: 6 })
    const tail = fc.uint8Array({ maxLength: 300 })
    const run = fc.property(flips, fc.option(tail), (changes, replacement) => {
      const bytes = Buffer.concat([data.subarray(0, 8), replacement ?? data.subarray(8)])
      for (const [at, value] of changes) if (at >= 8 && at < bytes.length) bytes[at] = value
      return ANSWERS.has(bench.send(new TransactionInstruction({ programId, keys, data: bytes })).error)
    })
    expect(fc.check(run, { numRuns: 60 })).toMatchObject({ failed: false, counterexample: null })
  })
})

it('refuses an unknown instruction', () => {
  const { bench, instruction } = scenario('update_config')
  for (const data of [Buffer.alloc(0), Buffer.alloc(7), Buffer.alloc(8), Buffer.alloc(900, 1)]) {
    const { programId, keys } = instruction
    expect(bench.send(new TransactionInstruction({ programId, keys, data })).error).toBe('InvalidInstruction')
    expect(bench.send(new TransactionInstruction({ programId, keys: [], data })).error).toBe(
      'InvalidInstruction',
    )
  }
})
