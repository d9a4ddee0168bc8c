import { describe, expect, it } from 'vitest'
import { pubkey } from '@agent-registry/solana'
import { registryIdl } from '../src/idl.ts'
import {
  deactivated,
  emptied,
  HASH,
  registered,
  REGISTRATION,
  reporter,
  staked,
  withdrawing,
  given,
} from './support/actors.ts'
import { type Args, Bench, THRESHOLDS, USDC } from './support/bench.ts'
import type { Outcome, Vm } from './support/vm.ts'

const CONFIG = { tierThresholds: THRESHOLDS, cooldownSeconds: 86_400n }

type Cause = (bench: Bench) => Outcome

const registerWith =
  (args: Args): Cause =>
  (bench) =>
    bench.call('register_agent', bench.actor().accounts, { ...REGISTRATION, ...args })
const updateWith =
  (args: Args): Cause =>
  (bench) =>
    bench.call('update_agent', registered(bench).accounts, args)
const configure =
  (args: Args): Cause =>
  (bench) =>
    bench.call('update_config', {}, args)
const reporterWith =
  (args: Args): Cause =>
  (bench) =>
    bench.call('register_reporter', { authority: bench.wallet() }, { label: 'Market', weight: 5, ...args })

/** Changes the keys or the data of a valid instruction, or one of its accounts. */
const malformed =
  (change: (bench: Bench, instruction: ReturnType<Bench['instruction']>) => void): Cause =>
  (bench) => {
    const { accounts, owner } = registered(bench)
    const instruction = bench.instruction('suspend_agent', { ...accounts, authority: owner })
    change(bench, instruction)
    return bench.send(instruction)
  }

const rewriteConfig = (change: Parameters<Vm['edit']>[1]): Cause =>
  malformed((bench) => void bench.vm.edit(bench.at.config(), change))

const causes: Record<string, Cause> = {
  InvalidInstruction: malformed((_, instruction) => {
    instruction.data = Buffer.alloc(8)
  }),
  NotEnoughAccounts: malformed((_, instruction) => instruction.keys.pop()),
  MissingSigner: malformed((_, { keys }) => Object.assign(keys[0]!, { isSigner: false })),
  NotWritable: malformed((_, { keys }) => Object.assign(keys[1]!, { isWritable: false })),
  InvalidPda: (bench) => {
    const deactivationRecord = bench.wallet()
    return bench.call('register_agent', { ...bench.actor().accounts, deactivationRecord }, REGISTRATION)
  },
  InvalidAccountOwner: rewriteConfig(() => ({ owner: pubkey('11111111111111111111111111111112') })),
  InvalidDiscriminator: rewriteConfig((data) => ({ data: data.fill(0, 0, 1) })),
  InvalidAccountData: rewriteConfig((data) => ({ data: data.subarray(0, -1) })),
  InvalidProgram: (bench) =>
    bench.call('register_agent', { ...bench.actor().accounts, systemProgram: bench.mint }, REGISTRATION),
  AlreadyInitialized: (bench) => bench.call('initialize', {}, CONFIG),
  NotUpgradeAuthority: (bench) => bench.call('initialize', { admin: bench.wallet() }, CONFIG),
  NotAdmin: (bench) => bench.call('update_config', { admin: bench.wallet() }, { paused: true }),
  NotOwner: (bench) =>
    bench.call('update_agent', { ...registered(bench).accounts, owner: bench.wallet() }, { name: 'x' }),
  NotAuthorized: (bench) =>
    bench.call('suspend_agent', { ...registered(bench).accounts, authority: bench.wallet() }),
  Paused: (bench) => {
    bench.must('update_config', {}, { paused: true })
    return registerWith({})(bench)
  },
  Overflow: (bench) => {
    const { accounts, stake } = staked(bench)
    bench.vm.edit(stake, (data) => void data.fill(0xff, 72, 80))
    return bench.call('deposit', accounts, { amount: 1n })
  },
  InvalidThresholds: configure({ tierThresholds: [1n, 2n, 3n, 4n] }),
  InvalidCooldown: configure({ cooldownSeconds: 0n }),
  InvalidName: registerWith({ name: '' }),
  InvalidVersion: updateWith({ version: 'v'.repeat(17) }),
  InvalidCardUrl: registerWith({ agentCardUrl: 'http://a' }),
  InvalidCardHash: registerWith({ agentCardHash: new Uint8Array(32) }),
  CardUrlAndHashTogether: updateWith({ agentCardHash: HASH }),
  InvalidCategory: (bench) => {
    const instruction = bench.instruction('update_agent', registered(bench).accounts, {
      serviceCategory: 'other',
    })
    instruction.data.writeUInt8(9, 10)
    return bench.send(instruction)
  },
  InvalidCapabilities: updateWith({ capabilities: 64n }),
  NothingToUpdate: updateWith({}),
  AgentNotActive: (bench) => bench.call('deposit', deactivated(bench).accounts, { amount: 1n }),
  AgentNotSuspended: (bench) => {
    const { accounts, owner } = registered(bench)
    return bench.call('reactivate_agent', { ...accounts, authority: owner })
  },
  AgentDeactivated: (bench) => bench.call('deactivate_agent', deactivated(bench).accounts),
  AgentNotDeactivated: (bench) => bench.call('close_agent', registered(bench).accounts),
  SuspendedByAdmin: (bench) => {
    const { accounts, owner } = registered(bench)
    bench.must('suspend_agent', { ...accounts, authority: bench.admin })
    return bench.call('reactivate_agent', { ...accounts, authority: owner })
  },
  StakeExists: (bench) => bench.call('close_agent', emptied(bench).accounts),
  StakeNotEmpty: (bench) => {
    const { accounts } = staked(bench)
    bench.must('deactivate_agent', accounts)
    return bench.call('close_stake', accounts)
  },
  InvalidAmount: (bench) => bench.call('deposit', registered(bench).accounts, { amount: 0n }),
  InsufficientStake: (bench) =>
    bench.call('request_withdrawal', staked(bench, USDC).accounts, { amount: 2n * USDC }),
  WithdrawalPending: (bench) => bench.call('request_withdrawal', withdrawing(bench).accounts, { amount: 1n }),
  CooldownNotOver: (bench) => bench.call('complete_withdrawal', withdrawing(bench).accounts),
  RecordTooYoung: (bench) => bench.call('close_deactivation_record', deactivated(bench).accounts),
  InvalidMint: (bench) =>
    bench.call('deposit', { ...registered(bench).accounts, usdcMint: bench.wallet() }, { amount: 1n }),
  InvalidTokenAccount: (bench) => {
    const ownerToken = bench.tokenAccount(bench.wallet(), USDC)
    return bench.call('deposit', { ...registered(bench).accounts, ownerToken }, { amount: 1n })
  },
  InvalidRentPayer: (bench) =>
    bench.call('close_agent', { ...deactivated(bench).accounts, rentPayer: bench.wallet() }),
  InvalidWeight: reporterWith({ weight: 11 }),
  InvalidLabel: reporterWith({ label: '' }),
  ReporterInactive: (bench) => {
    const accounts = { ...reporter(bench), agent: registered(bench).agent }
    bench.must('set_reporter_active', accounts, { active: false })
    return bench.call('report_behavior', accounts, { delta: 1, reason: 0 })
  },
  ZeroDelta: (bench) => {
    const accounts = { ...reporter(bench), agent: registered(bench).agent }
    return bench.call('report_behavior', accounts, { delta: 0, reason: 0 })
  },
  ReputationChangedToday: (bench) => {
    const actor = registered(bench)
    bench.must('report_behavior', { ...reporter(bench), agent: actor.agent }, { delta: 1, reason: 0 })
    bench.must('deactivate_agent', actor.accounts)
    return bench.call('close_agent', actor.accounts)
  },
}

it('every error of the IDL has a test in this file', () => {
  expect(Object.keys(causes).sort()).toEqual(registryIdl.errors.map(({ name }) => name).sort())
})

/** The log line of the failure with this name, as Anchor writes it. */
function lineOf(name: string): string {
  const { error, logs } = causes[name]!(Bench.initialized())
  expect(error).toBe(name)
  const lines = logs.filter((line) => line.includes('AnchorError'))
  expect(lines).toHaveLength(1)
  return lines[0]!
}

describe('the log line of an error', () => {
  it.each(registryIdl.errors)('$name has its name, number and message', ({ name, code, msg }) => {
    const line = lineOf(name)
    const [start, account] =
      /^Program log: AnchorError (?:occurred|caused by account: (\w+))\. /.exec(line) ?? []
    expect(line.slice(start?.length)).toBe(
      `Error Code: ${name}. Error Number: ${code}. Error Message: ${msg}`,
    )
    expect(account ?? 'config').toMatch(/^[a-z_]+$/)
  })

  it.each([
    ['NotEnoughAccounts', 'program'],
    ['MissingSigner', 'authority'],
    ['NotWritable', 'agent'],
    ['InvalidPda', 'deactivation_record'],
    ['InvalidProgram', 'system_program'],
    ['InvalidAccountOwner', 'config'],
    ['InvalidDiscriminator', 'config'],
    ['InvalidAccountData', 'config'],
  ])('of %s names the account %s', (name, account) => {
    expect(lineOf(name)).toContain(`AnchorError caused by account: ${account}. Error Code: ${name}.`)
  })

  it('does not exist on success, nor for an error of another program', () => {
    const [bench, { accounts, owner }] = given(registered)
    expect(bench.must('suspend_agent', { ...accounts, authority: owner }).logs.join()).not.toContain('Anchor')
    const tooMuch = bench.call('deposit', registered(bench).accounts, { amount: 2n ** 40n })
    expect(tooMuch.error).toBe('custom 1')
    expect(tooMuch.logs.join()).not.toContain('Anchor')
  })
})
