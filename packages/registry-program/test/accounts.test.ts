import { type AccountMeta, Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { type IdlAccountMeta, registryIdl } from '../src/idl.ts'
import { keyOf } from './support/bench.ts'
import { type Scenario, scenario } from './support/scenarios.ts'
import { TOKEN_PROGRAM } from './support/token-images.ts'
import type { StoredAccount } from './support/vm.ts'

const random = (): Pubkey => keyOf(Keypair.generate())

function withKey(
  instruction: TransactionInstruction,
  at: number,
  change: Partial<AccountMeta>,
): TransactionInstruction {
  const keys = instruction.keys.map((meta, i) => (i === at ? { ...meta, ...change } : meta))
  return new TransactionInstruction({ programId: instruction.programId, keys, data: instruction.data })
}

function withData({ programId, keys }: TransactionInstruction, data: Uint8Array): TransactionInstruction {
  return new TransactionInstruction({ programId, keys, data: Buffer.from(data) })
}

function keyAt(instruction: TransactionInstruction, at: number): Pubkey {
  return pubkey(instruction.keys[at]?.pubkey.toBase58() ?? '')
}

/** Sends with a changed account, then restores it. */
function errorWith(given: Scenario, key: Pubkey, change: (account: StoredAccount) => Partial<StoredAccount>) {
  const { bench, instruction } = given
  const before = bench.vm.account(key)!
  bench.vm.edit(key, (data) => change({ ...before, data }))
  const { error } = bench.send(instruction)
  bench.vm.edit(key, () => before)
  return error
}

function flipped(data: Uint8Array, at: number): { data: Uint8Array } {
  data[at] = (data[at] ?? 0) ^ 0xff
  return { data }
}

describe.each(registryIdl.instructions)('$name', (idl) => {
  const given = scenario(idl.name)
  const { bench, instruction } = given
  const accounts = idl.accounts.map((meta: IdlAccountMeta, at: number) => ({
    ...meta,
    at,
    key: keyAt(instruction, at),
  }))
  const ours = accounts.filter(({ key }) => bench.vm.account(key)?.owner === bench.vm.programId)
  const tokens = accounts.filter(({ name }) => name === 'vault' || name === 'owner_token')

  it.each(accounts.filter((each) => each.signer))('requires the signature of $name', ({ at }) => {
    expect(bench.send(withKey(instruction, at, { isSigner: false })).error).toBe('MissingSigner')
  })

  it.each(accounts.filter((each) => each.writable))('requires $name to be writable', ({ at }) => {
    expect(bench.send(withKey(instruction, at, { isWritable: false })).error).toBe('NotWritable')
  })

  it('requires every account', () => {
    const { programId, keys, data } = instruction
    const fewer = new TransactionInstruction({ programId, keys: keys.slice(0, -1), data })
    expect(bench.send(fewer).error).toBe('NotEnoughAccounts')
  })

  it('refuses truncated and trailing bytes', () => {
    const { data } = instruction
    expect(bench.send(withData(instruction, data.subarray(0, -1))).error).toBe('InvalidInstruction')
    expect(bench.send(withData(instruction, Buffer.concat([data, Buffer.of(0)]))).error).toBe(
      'InvalidInstruction',
    )
  })

  it.each(accounts.filter((each) => each.address))('refuses another program as $name', ({ at }) => {
    const other = withKey(instruction, at, { pubkey: new PublicKey(random()) })
    expect(bench.send(other).error).toBe('InvalidProgram')
  })

  it.each([...accounts.filter((each) => each.pda), ...ours])(
    'refuses a copy of $name elsewhere',
    ({ at, key }) => {
      const copy = random()
      const original = bench.vm.account(key)
      if (original !== null) bench.vm.put({ ...original, address: copy, executable: false })
      const other = withKey(instruction, at, { pubkey: new PublicKey(copy) })
      expect(bench.send(other).error).toBe('InvalidPda')
    },
  )

  it.each([...ours, ...tokens])('refuses $name of another program', ({ key }) => {
    expect(errorWith(given, key, () => ({ owner: random() }))).toBe('InvalidAccountOwner')
  })

  it.each(ours)('refuses $name of another type', ({ key }) => {
    expect(errorWith(given, key, ({ data }) => flipped(data, 0))).toBe('InvalidDiscriminator')
    expect(errorWith(given, key, ({ data }) => ({ data: data.slice(0, 7) }))).toBe('InvalidDiscriminator')
  })

  it.each(ours)('refuses $name of another length', ({ key }) => {
    expect(errorWith(given, key, ({ data }) => ({ data: data.slice(0, -1) }))).toBe('InvalidAccountData')
    expect(errorWith(given, key, ({ data }) => ({ data: Buffer.concat([data, data]) }))).toBe(
      'InvalidAccountData',
    )
  })

  it.each(tokens)('refuses $name of another mint, owner or state', ({ key }) => {
    for (const at of [0, 32])
      expect(errorWith(given, key, ({ data }) => flipped(data, at))).toBe('InvalidTokenAccount')
    const uninitialized = (data: Uint8Array): { data: Uint8Array } => ({ data: data.fill(0, 108, 109) })
    expect(errorWith(given, key, ({ data }) => uninitialized(data))).toBe('InvalidTokenAccount')
    const data = new Uint8Array(82)
    expect(errorWith(given, key, () => ({ data, owner: TOKEN_PROGRAM }))).toBe('InvalidTokenAccount')
  })

  it('succeeds without changes', () => {
    const outcome = bench.send(instruction)
    expect(outcome.error).toBeNull()
    const title = idl.name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    expect(outcome.logs).toContain(`Program log: Instruction: ${title}`)
  })
})
