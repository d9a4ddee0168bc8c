import type { Pubkey } from '@agent-registry/solana'
import type { RegistryEvent } from '../../src/codec.ts'
import type { RegistryAccounts, RegistryEvents } from '../../src/generated/types.ts'
import { type Actor, type Args, Bench, COOLDOWN, DAY, USDC } from './bench.ts'
import type { Outcome } from './vm.ts'

export const HASH = new Uint8Array(32).fill(7)

export const REGISTRATION = {
  name: 'Ann',
  serviceCategory: 'research',
  agentCardUrl: 'https://ann.example/agent-card.json',
  agentCardHash: HASH,
}

/** An initialized registry, and what this function does in it. */
export function given<Result>(create: (bench: Bench) => Result): [Bench, Result] {
  const bench = Bench.initialized()
  return [bench, create(bench)]
}

export function register(bench: Bench, actor: Actor, args: Args = {}): Outcome {
  return bench.must('register_agent', actor.accounts, { ...REGISTRATION, ...args })
}

export function registered(bench: Bench): Actor {
  const actor = bench.actor()
  register(bench, actor)
  return actor
}

export function staked(bench: Bench, amount = 600n * USDC): Actor {
  const actor = registered(bench)
  bench.must('deposit', actor.accounts, { amount })
  return actor
}

export function withdrawing(bench: Bench, amount = 600n * USDC): Actor {
  const actor = staked(bench, amount)
  bench.must('request_withdrawal', actor.accounts, { amount })
  return actor
}

export function emptied(bench: Bench): Actor {
  const actor = withdrawing(bench)
  bench.must('deactivate_agent', actor.accounts)
  bench.vm.now += COOLDOWN
  bench.must('complete_withdrawal', actor.accounts)
  return actor
}

export function deactivated(bench: Bench): Actor {
  const actor = registered(bench)
  bench.must('deactivate_agent', actor.accounts)
  return actor
}

/** A reporter's accounts for report_behavior, without the agent. */
export function reporter(bench: Bench, weight = 5): { authority: Pubkey; reporter: Pubkey } {
  const authority = bench.wallet()
  const accounts = { authority, reporter: bench.at.reporter(authority) }
  bench.must('register_reporter', accounts, { label: 'Market', weight })
  return accounts
}

export function agentOf(bench: Bench, actor: Actor): RegistryAccounts['Agent'] {
  return existing(bench.read('Agent', actor.agent))
}

export function stakeOf(bench: Bench, actor: Actor): RegistryAccounts['Stake'] {
  return existing(bench.read('Stake', actor.stake))
}

function existing<T>(account: T | null): T {
  if (account === null) throw new Error('no such account')
  return account
}

export function eventOf<Name extends RegistryEvent['name']>(
  outcome: Outcome,
  name: Name,
): RegistryEvents[Name] {
  const found = outcome.events.filter((event) => event.name === name)
  const [event] = found
  if (event === undefined || found.length > 1) throw new Error(`${found.length} events ${name}`)
  return event.data as RegistryEvents[Name]
}

export const AFTER_RECORD = 30n * DAY
