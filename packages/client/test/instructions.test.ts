import { pubkeyBytes } from '@agent-registry/solana/wire'
import { PublicKey } from '@solana/web3.js'
import * as fc from '../../../test/support/property.ts'
import { expect, test } from 'vitest'
import { registryAddresses } from '@agent-registry/program'
import { associatedTokenAccount, pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import * as program from '../src/generated/program.ts'
import { isOnCurve, tokenAccount } from '../src/program/program-address.ts'

const PROGRAM = pubkey(program.PROGRAM)
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(pubkeyFromBytes)

test('the derived addresses are those of the program and of web3.js', async () => {
  const addresses = registryAddresses(PROGRAM)
  await fc.assert(
    fc.asyncProperty(key, key, async (owner, mint) => {
      expect(await program.agentAddress(owner)).toBe(addresses.agent(owner))
      expect(await program.stakeAddress(owner)).toBe(addresses.stake(owner))
      expect(await tokenAccount(owner, mint)).toBe(associatedTokenAccount(owner, mint))
      expect(isOnCurve(pubkeyBytes(owner))).toBe(PublicKey.isOnCurve(new PublicKey(owner)))
    }),
    { numRuns: 20 },
  )
})

test('the last argument of a builder is the address of another program', async () => {
  const other = pubkey('ComputeBudget111111111111111111111111111111')
  const accounts = { payer: PROGRAM, owner: PROGRAM, ownerToken: PROGRAM, usdcMint: PROGRAM }
  const deposit = await program.deposit(accounts, { amount: 1n }, other)
  const suspend = await program.suspendAgent({ authority: PROGRAM, agent: PROGRAM }, other)
  for (const { programId, keys } of [deposit, suspend]) {
    expect(programId).toBe(other)
    expect(keys.at(-1)!.pubkey).toBe(other)
    expect(keys.at(-2)!.pubkey).toBe(await program.eventAuthorityAddress(other))
  }
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
