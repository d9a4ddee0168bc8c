import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js'
import { describe, expect, it } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import { decodeInstruction, encodeEvent, EVENT_TAG, eventBytes } from '../src/codec.ts'
import { registryIdl } from '../src/idl.ts'
import { registered, staked, given } from './support/actors.ts'
import { Bench, keyOf, USDC } from './support/bench.ts'
import { scenario } from './support/scenarios.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('a') })

const emitting = registryIdl.instructions.filter(({ accounts }) =>
  accounts.some(({ name }) => name === 'event_authority'),
)
const silent = registryIdl.instructions.filter((each) => !emitting.includes(each))

/** Program-derived addresses of the seeds, from bump 255: null where the hash is on the curve. */
function authorities(programId: PublicKey): { bump: number; key: PublicKey }[] {
  return Array.from({ length: 256 }, (_, i) => 255 - i).flatMap((bump) => {
    try {
      const seeds = [Buffer.from('__event_authority'), Buffer.of(bump)]
      return [{ bump, key: PublicKey.createProgramAddressSync(seeds, programId) }]
    } catch {
      return []
    }
  })
}

describe('events', () => {
  it.each(emitting)('of $name are inner instructions and log lines with the same bytes', ({ name }) => {
    const { bench, instruction } = scenario(name)
    const outcome = bench.send(instruction)
    expect(outcome.error).toBeNull()
    expect(outcome.events.length).toBeGreaterThan(0)
    expect(outcome.loggedEvents).toEqual(outcome.events)
  })

  it.each(silent)('are not emitted by $name', ({ name }) => {
    const { bench, instruction } = scenario(name)
    const outcome = bench.send(instruction)
    expect(outcome).toMatchObject({ error: null, events: [], loggedEvents: [] })
  })

  it('remain when the transaction has filled its log before', () => {
    const [bench, actor] = given(staked)
    const request = bench.instruction('request_withdrawal', actor.accounts, { amount: 600n * USDC })
    const outcome = bench.send(...Array.from({ length: 50 }, () => memo), request)
    expect(outcome.logs).toContain('Log truncated')
    expect(outcome.loggedEvents).toEqual([])
    expect(outcome.events.map((event) => event.name)).toEqual(['WithdrawalRequested', 'TierUpdated'])
  })

  it('are emitted at program addresses with any bump of the event authority', () => {
    const bumps = new Set<number>()
    for (let i = 0; i < 40; i++) {
      const bench = Bench.initialized()
      expect(registered(bench)).toBeDefined()
      bumps.add(authorities(new PublicKey(bench.vm.programId))[0]!.bump)
    }
    expect(bumps.size).toBeGreaterThan(2)
  })
})

describe('the accounts event_authority and program', () => {
  const actor = (bench: Bench) => {
    const { accounts, agent, owner } = registered(bench)
    return { ...accounts, agent, authority: owner }
  }

  it('are the canonical address and the program itself', () => {
    const bench = Bench.initialized()
    const accounts = actor(bench)
    const [canonical, ...others] = authorities(new PublicKey(bench.vm.programId))
    expect(bench.at.eventAuthority()).toBe(canonical!.key.toBase58())
    for (const { key } of others.slice(0, 5))
      expect(bench.error('suspend_agent', { ...accounts, eventAuthority: pubkey(key.toBase58()) })).toBe(
        'InvalidPda',
      )
    for (const key of [bench.wallet(), accounts.agent, bench.at.config()])
      expect(bench.error('suspend_agent', { ...accounts, eventAuthority: key })).toBe('InvalidPda')
    expect(bench.error('suspend_agent', { ...accounts, program: bench.wallet() })).toBe('InvalidProgram')
    expect(bench.error('suspend_agent', accounts)).toBeNull()
  })

  it('are required by every instruction that emits events', () => {
    for (const { name } of emitting) {
      const { bench, instruction } = scenario(name)
      for (const missing of [1, 2]) {
        const { programId, keys, data } = instruction
        const fewer = new TransactionInstruction({ programId, keys: keys.slice(0, -missing), data })
        expect(bench.send(fewer).error).toBe('NotEnoughAccounts')
      }
    }
  })
})

describe('a forged event instruction is refused', () => {
  const closing = (bench: Bench) => {
    const { agent, owner } = registered(bench)
    return encodeEvent({ name: 'AgentClosed', data: { agent, owner, timestamp: 1n } })
  }
  const forged = (bench: Bench, key: PublicKey, isSigner: boolean, data: Uint8Array) =>
    bench.send(
      new TransactionInstruction({
        programId: new PublicKey(bench.vm.programId),
        keys: [{ pubkey: key, isSigner, isWritable: false }],
        data: Buffer.from(data),
      }),
    )

  it('with the event authority, which has not signed, and any bump', () => {
    const bench = Bench.initialized()
    const authority = new PublicKey(bench.at.eventAuthority())
    for (const bump of [255, 254, 253, 252, 0]) {
      const data = Buffer.concat([EVENT_TAG, closing(bench), Buffer.of(bump)])
      const outcome = forged(bench, authority, false, data)
      expect(outcome).toMatchObject({ error: 'MissingSigner', events: [] })
    }
  })

  it('with another account that signs', () => {
    const bench = Bench.initialized()
    const wallet = new PublicKey(bench.wallet())
    for (const bump of [255, 254, 253]) {
      const data = Buffer.concat([EVENT_TAG, closing(bench), Buffer.of(bump)])
      expect(forged(bench, wallet, true, data).error).toBe('InvalidPda')
    }
  })

  it('without accounts, and without bytes after the tag', () => {
    const bench = Bench.initialized()
    const programId = new PublicKey(bench.vm.programId)
    const data = Buffer.from(EVENT_TAG)
    const bare = new TransactionInstruction({ programId, keys: [], data })
    expect(bench.send(bare).error).toBe('NotEnoughAccounts')
    expect(forged(bench, new PublicKey(bench.wallet()), true, data).error).toBe('InvalidInstruction')
  })
})

describe('eventBytes', () => {
  const event = encodeEvent({
    name: 'AgentClosed',
    data: { agent: keyOf(Keypair.generate()), owner: keyOf(Keypair.generate()), timestamp: 1n },
  })

  it('removes the tag and the bump', () => {
    expect(eventBytes(Buffer.concat([EVENT_TAG, event, Buffer.of(254)]))).toEqual(event)
  })

  it('is null for other instructions, and the tag is no instruction of the IDL', () => {
    expect(eventBytes(event)).toBeNull()
    expect(eventBytes(EVENT_TAG.subarray(0, 7))).toBeNull()
    expect(decodeInstruction(EVENT_TAG)).toBeNull()
    expect(eventBytes(EVENT_TAG)).toHaveLength(0)
  })
})
