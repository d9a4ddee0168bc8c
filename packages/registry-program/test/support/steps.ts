import * as fc from '../../../../test/support/property.ts'
import { reporter } from './actors.ts'
import { type Accounts, type Actor, type Args, Bench, COOLDOWN, THRESHOLDS, USDC } from './bench.ts'
import { type Holdings, Model } from './model.ts'
import { TOKEN_PROGRAM, tokenAccountData } from './token-images.ts'

export interface World {
  bench: Bench
  model: Model
  owners: { actor: Actor; holdings: Holdings }[]
  reporters: { accounts: Accounts; weight: number }[]
}

type Run = (world: World, owner: World['owners'][number]) => { expected: string | null; error: string | null }

/**
 * One step: what the model expects, and what the program answers. Counterexamples show the label.
 */
export interface Step {
  run: Run
  [fc.toStringMethod]: () => string
}

const step = (label: string, run: Run): Step => ({ run, [fc.toStringMethod]: () => label })

const USDC_OF_OWNER = 2_000n * USDC
/** Addresses whose lamports the model tracks. */
export const WATCHED = [
  'owner',
  'payer',
  'agent',
  'stake',
  'vault',
  'withdrawal',
  'deactivationRecord',
] as const

export function world(): World {
  const bench = Bench.initialized()
  const model = new Model(bench, THRESHOLDS, COOLDOWN)
  const none = { agent: null, stake: null, withdrawal: null, record: null, vaultTokens: 0n }
  const owners = [0, 1].map(() => {
    const actor = bench.actor(USDC_OF_OWNER)
    for (const name of WATCHED) model.lamports.set(actor[name], bench.vm.lamportsOf(actor[name]))
    return { actor, holdings: { ...none, ownerTokens: USDC_OF_OWNER } }
  })
  const reporters = [5, 7, 10].map((weight) => ({ accounts: reporter(bench, weight), weight }))
  return { bench, model, owners, reporters }
}

export function rule(
  name: string,
  expect: (model: Model, actor: Actor, at: Holdings) => string | null,
  args: Args = {},
): Step {
  return step(
    `${name} ${typeof args['amount'] === 'bigint' ? args['amount'] : ''}`,
    ({ bench, model }, { actor, holdings }) => ({
      expected: expect(model, actor, holdings),
      error: bench.call(name, actor.accounts, args).error,
    }),
  )
}

export const requestEverything = step('request everything', ({ bench, model }, { actor, holdings }) => {
  const amount = holdings.stake?.depositedAmount ?? 1n
  return {
    expected: model.request(actor, holdings, amount),
    error: bench.call('request_withdrawal', actor.accounts, { amount }).error,
  }
})

export function supervise(name: 'suspend' | 'reactivate', admin: boolean): Step {
  return step(`${name} by ${admin ? 'admin' : 'owner'}`, ({ bench, model }, { actor, holdings }) => {
    const accounts = { agent: actor.agent, authority: admin ? bench.admin : actor.owner }
    return { expected: model[name](holdings, admin), error: bench.call(`${name}_agent`, accounts).error }
  })
}

export function report(delta: number, which: number): Step {
  return step(`report ${delta} by ${which}`, ({ bench, model, reporters }, { actor, holdings }) => {
    const { accounts, weight } = reporters[which]!
    const all = { ...accounts, agent: actor.agent }
    const expected = model.report(holdings, delta, weight)
    return { expected, error: bench.call('report_behavior', all, { delta, reason: 0 }).error }
  })
}

export interface Change {
  paused?: boolean
  tierThresholds?: bigint[]
  cooldownSeconds?: bigint
}

export function configure(change: Change): Step {
  return step(`configure ${Object.entries(change).join(' ')}`, ({ bench, model }) => {
    model.paused = change.paused ?? model.paused
    model.thresholds = change.tierThresholds ?? model.thresholds
    model.cooldown = change.cooldownSeconds ?? model.cooldown
    return { expected: null, error: bench.call('update_config', {}, { ...change }).error }
  })
}

export function warp(seconds: bigint): Step {
  return step(`warp ${seconds}`, ({ bench, model }) => {
    bench.vm.now += seconds
    model.now += seconds
    return { expected: null, error: null }
  })
}

export const donateTokens = step('donate tokens', ({ bench }, { actor, holdings }) => {
  if (holdings.stake === null) return { expected: null, error: null }
  holdings.vaultTokens += 3n
  const image = { address: actor.vault, owner: TOKEN_PROGRAM, executable: false }
  const data = tokenAccountData(bench.mint, actor.stake, holdings.vaultTokens)
  bench.vm.put({ ...image, data, lamports: bench.vm.lamportsOf(actor.vault) })
  return { expected: null, error: null }
})

export function donateLamports(place: (typeof WATCHED)[number], amount: bigint): Step {
  return step(`donate ${amount} lamports to ${place}`, ({ bench, model }, { actor }) => {
    bench.vm.airdrop(actor[place], amount)
    model.lamports.set(actor[place], (model.lamports.get(actor[place]) ?? 0n) + amount)
    return { expected: null, error: null }
  })
}
