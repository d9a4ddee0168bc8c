import { createHash } from 'node:crypto'
import { type Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js'
import * as fc from '../property.ts'
import { encodeEvent, EVENT_TAG, type RegistryEvent } from '@agent-registry/program'
import type { AgentState } from './event-model.ts'
import { hostile, type HostileStep } from './hostile-program.ts'
import { addresses, type AgentWallet, keyOf, programId, type RegistryWorld } from './registry-world.ts'

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

/** The event that an instruction always emits. A report and a change of the tier may add others. */
export const EVENT_OF = {
  register_agent: 'AgentRegistered',
  update_agent: 'AgentUpdated',
  suspend_agent: 'AgentSuspended',
  reactivate_agent: 'AgentReactivated',
  deactivate_agent: 'AgentDeactivated',
  close_agent: 'AgentClosed',
  deposit: 'StakeDeposited',
  request_withdrawal: 'WithdrawalRequested',
  cancel_withdrawal: 'WithdrawalCancelled',
  complete_withdrawal: 'StakeWithdrawn',
  close_stake: 'StakeClosed',
  report_behavior: null,
  close_deactivation_record: null,
} as const satisfies Record<string, RegistryEvent['name'] | null>

type Name = keyof typeof EVENT_OF

const NAMES = Object.keys(EVENT_OF) as Name[]

const times = (count: number, name: Name): Name[] => Array.from({ length: count }, () => name)
const ACTIVE = [...times(5, 'deposit'), ...times(3, 'update_agent'), ...times(2, 'suspend_agent')]

/** The instructions that can succeed in this state. */
function possible({ agent, stake }: AgentState): Name[] {
  if (agent === null) return ['register_agent', 'register_agent', 'close_deactivation_record']
  const names: Name[] = []
  const { status } = agent
  if (status !== 'deactivated') names.push('report_behavior', 'report_behavior', 'deactivate_agent')
  if (status === 'active') names.push(...ACTIVE)
  if (status === 'suspended') names.push(...times(4, 'reactivate_agent'), 'suspend_agent')
  if (stake === null) return status === 'deactivated' ? ['close_agent'] : names
  if (stake.pendingWithdrawal > 0n)
    names.push('complete_withdrawal', 'complete_withdrawal', 'cancel_withdrawal')
  else if (stake.depositedAmount > 0n) names.push(...times(3, 'request_withdrawal'))
  else if (status === 'deactivated') names.push('close_stake')
  return names
}

/** Instructions, and what surrounds them in the transaction. */
export const eventCase = fc.record({
  wallet: fc.nat(3),
  operations: fc.array(
    fc.record({
      choice: fc.nat(999),
      isPossible: fc.rarely(10, false, true),
      amount: fc.integer({ min: 1, max: 1_200 }),
      byAdmin: fc.boolean(),
      // The number of programs between the transaction and the registry.
      depth: fc.oneof(
        { weight: 6, arbitrary: fc.constant(0) },
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) },
        { weight: 1, arbitrary: fc.integer({ min: 4, max: 8 }) },
      ),
      lies: fc.constantFrom('none', 'data', 'noise'),
    }),
    { minLength: 1, maxLength: 3, size: 'xsmall' },
  ),
  memos: fc.constantFrom(0, 0, 5, 50),
  noise: fc.constantFrom(0, 0, 120),
  forgery: fc.oneof(
    { weight: 8, arbitrary: fc.constant('none' as const) },
    fc.constantFrom('outer' as const, 'inner' as const, 'signed' as const),
  ),
  fails: fc.rarely(16, true, false),
  days: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.constantFrom(1, 8, 31)),
})

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never
export type EventCase = Generated<typeof eventCase>
type Operation = EventCase['operations'][number]

/** The instruction of an operation on an agent in this state. */
export function nameOf({ choice, isPossible }: Operation, state: AgentState): Name {
  const names = isPossible ? possible(state) : NAMES
  return names[choice % names.length]!
}

/** The instructions of a case. The hostile program logs a forged event before and after calls. */
export function instructionsOf(
  { operations, memos, noise, forgery, fails }: EventCase,
  wallet: AgentWallet,
  state: AgentState,
  world: RegistryWorld,
): TransactionInstruction[] {
  const forged = forgedEvent(wallet, forgery === 'signed')
  const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('a') })
  return [
    ...Array.from({ length: memos }, () => memo),
    ...(noise > 0 ? [hostile([{ noise }])] : []),
    ...operations.map((operation) =>
      surrounded(build(nameOf(operation, state), operation, { wallet, state, world }), operation, wallet),
    ),
    ...(forgery === 'none' ? [] : [forgery === 'inner' ? hostile([{ invoke: forged }]) : forged]),
    ...(fails ? [hostile([{ fail: true }])] : []),
  ]
}

function surrounded(
  instruction: TransactionInstruction,
  { depth, lies }: Operation,
  wallet: AgentWallet,
): TransactionInstruction {
  const steps: HostileStep[] =
    lies === 'none' ? [] : [lies === 'noise' ? { noise: 60 } : { data: closedEvent(wallet) }]
  let wrapped = instruction
  for (let level = 0; level < depth; level += 1)
    wrapped = hostile(level === 0 ? [...steps, { invoke: wrapped }, ...steps] : [{ invoke: wrapped }])
  return wrapped
}

function build(
  name: Name,
  { amount, byAdmin }: Operation,
  context: { wallet: AgentWallet; state: AgentState; world: RegistryWorld },
): TransactionInstruction {
  const { wallet, state, world } = context
  const { admin, reporter } = world
  const wanted = BigInt(amount) * 1_000_000n
  const deposited = state.stake?.depositedAmount ?? 0n
  const url = `https://agents.example.org/${amount}.json`
  const card = { agentCardUrl: url, agentCardHash: createHash('sha256').update(url).digest() }
  const args: Record<string, Record<string, unknown>> = {
    register_agent: { name: `Agent ${amount}`, serviceCategory: 'research', ...card },
    update_agent: byAdmin ? { name: 'N'.repeat(32), ...card } : { version: `${amount}` },
    deposit: { amount: wanted },
    // Often all of it, so that the stake can be closed.
    request_withdrawal: { amount: deposited > 0n && deposited < wanted ? deposited : wanted },
    report_behavior: { delta: (amount % 101) - 50, reason: amount % 6 },
  }
  const rentPayer = name === 'close_agent' ? (state.agent?.rentPayer ?? wallet.owner) : wallet.owner
  const authority = name === 'report_behavior' ? keyOf(reporter) : byAdmin ? keyOf(admin) : wallet.owner
  return wallet.instruction(name, { authority, payer: wallet.owner, rentPayer }, args[name] ?? {})
}

const closedEvent = ({ agent, owner }: AgentWallet): Buffer =>
  encodeEvent({ name: 'AgentClosed', data: { agent, owner, timestamp: 1n } })

/** An event instruction that the registry did not send. */
function forgedEvent(wallet: AgentWallet, isSigner: boolean): TransactionInstruction {
  const key = isSigner ? wallet.owner : addresses.eventAuthority()
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: [{ pubkey: new PublicKey(key), isSigner, isWritable: false }],
    data: Buffer.concat([EVENT_TAG, closedEvent(wallet), Buffer.of(255)]),
  })
}

export const signersOf = (
  instructions: readonly TransactionInstruction[],
  known: readonly Keypair[],
): Keypair[] => {
  const keys = instructions.flatMap((each) => each.keys.filter((key) => key.isSigner))
  return known.filter((keypair) => keys.some((key) => key.pubkey.equals(keypair.publicKey)))
}
