import * as fc from '../../../../test/support/property.ts'
import { REGISTRATION } from './actors.ts'
import { COOLDOWN, DAY, THRESHOLDS, USDC } from './bench.ts'
import {
  type Change,
  configure,
  donateLamports,
  donateTokens,
  report,
  requestEverything,
  rule,
  type Step,
  supervise,
  WATCHED,
  warp,
} from './steps.ts'

const register = rule('register_agent', (model, ...at) => model.register(...at), REGISTRATION)
const cancel = rule('cancel_withdrawal', (model, ...at) => model.cancel(...at))
const complete = rule('complete_withdrawal', (model, ...at) => model.complete(...at))
const deactivate = rule('deactivate_agent', (model, ...at) => model.deactivate(...at))
const closeStake = rule('close_stake', (model, ...at) => model.closeStake(...at))
const closeAgent = rule('close_agent', (model, ...at) => model.closeAgent(...at))
const closeRecord = rule('close_deactivation_record', (model, ...at) => model.closeRecord(...at))
const deposit = (amount: bigint): Step =>
  rule('deposit', (model, ...at) => model.deposit(...at, amount), { amount })
const request = (amount: bigint): Step =>
  rule('request_withdrawal', (model, ...at) => model.request(...at, amount), { amount })

const amounts = fc.oneof(
  fc.constantFrom(0n, 1n, 99n * USDC, 100n * USDC, 400n * USDC, 500n * USDC, 1_000n * USDC, 2n ** 64n - 1n),
  fc.bigInt({ min: 1n, max: 1_500n * USDC }),
)
const deltas = fc.oneof(fc.constantFrom(-50, -7, -1, 0, 1, 50), fc.integer({ min: -32_768, max: 32_767 }))
const settings: Change[] = [
  { paused: true },
  { paused: false },
  { paused: false },
  { cooldownSeconds: DAY },
  { cooldownSeconds: COOLDOWN },
  { tierThresholds: THRESHOLDS },
  { tierThresholds: [0n, 1n, 2n, 450n * USDC] },
]

const anyStep: fc.Arbitrary<Step[]> = fc
  .oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(register, cancel, complete, deactivate, closeStake, closeAgent, closeRecord),
    },
    { weight: 3, arbitrary: amounts.map(deposit) },
    { weight: 3, arbitrary: fc.oneof(amounts.map(request), fc.constant(requestEverything)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('suspend', 'reactivate'), fc.boolean())
        .map((each) => supervise(...each)),
    },
    { weight: 5, arbitrary: fc.tuple(deltas, fc.nat({ max: 2 })).map((each) => report(...each)) },
    { weight: 2, arbitrary: fc.constantFrom(1n, 3_600n, DAY, COOLDOWN, 30n * DAY).map(warp) },
    { weight: 1, arbitrary: fc.constantFrom(...settings).map(configure) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(donateTokens, ...WATCHED.map((place) => donateLamports(place, 2_000_000n))),
    },
  )
  .map((step) => [step])

/** Sequences that lead to states which random steps rarely reach. */
const chapter = fc.constantFrom<Step[]>(
  [configure({ paused: false }), register, deposit(600n * USDC)],
  [requestEverything, warp(COOLDOWN), complete],
  [supervise('suspend', false), supervise('reactivate', true), deactivate],
  [deactivate, requestEverything, warp(COOLDOWN), complete, closeStake, closeAgent, register],
  [warp(30n * DAY), closeRecord],
)

/** Steps for owner 0 or 1 of the world. */
export const sequences: fc.Arbitrary<[Step, number][]> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 4, arbitrary: anyStep }, { weight: 2, arbitrary: chapter }),
      fc.nat({ max: 1 }),
    ),
    {
      minLength: 20,
      maxLength: 50,
      size: 'max',
    },
  )
  .map((parts) => parts.flatMap(([steps, owner]) => steps.map((step): [Step, number] => [step, owner])))
