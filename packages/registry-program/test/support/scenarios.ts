import type { TransactionInstruction } from '@solana/web3.js'
import {
  AFTER_RECORD,
  deactivated,
  emptied,
  REGISTRATION,
  registered,
  reporter,
  staked,
  withdrawing,
} from './actors.ts'
import { type Accounts, type Args, Bench, COOLDOWN, THRESHOLDS, USDC } from './bench.ts'

export interface Scenario {
  bench: Bench
  /** Succeeds when sent. */
  instruction: TransactionInstruction
}

type Prepare = (bench: Bench) => { accounts: Accounts; args?: Args }

const CONFIG_ARGS = { tierThresholds: THRESHOLDS, cooldownSeconds: COOLDOWN }

const prepare: Record<string, Prepare> = {
  update_config: () => ({ accounts: {}, args: { ...CONFIG_ARGS, paused: false } }),
  register_reporter: (bench) => ({
    accounts: { authority: bench.wallet() },
    args: { label: 'Market', weight: 5 },
  }),
  set_reporter_active: (bench) => ({ accounts: reporter(bench), args: { active: false } }),
  register_agent: (bench) => ({ accounts: bench.actor().accounts, args: REGISTRATION }),
  update_agent: (bench) => ({
    accounts: registered(bench).accounts,
    args: { ...REGISTRATION, capabilities: 63n, version: '1.0.0' },
  }),
  suspend_agent: (bench) => supervised(bench, 'owner'),
  reactivate_agent: (bench) => {
    const { accounts } = supervised(bench, 'owner')
    bench.must('suspend_agent', accounts)
    return { accounts }
  },
  deactivate_agent: (bench) => ({ accounts: registered(bench).accounts }),
  close_agent: (bench) => ({ accounts: deactivated(bench).accounts }),
  close_deactivation_record: (bench) => {
    const { accounts } = deactivated(bench)
    bench.vm.now += AFTER_RECORD
    return { accounts }
  },
  deposit: (bench) => ({ accounts: staked(bench).accounts, args: { amount: 10n * USDC } }),
  request_withdrawal: (bench) => ({ accounts: staked(bench).accounts, args: { amount: 10n * USDC } }),
  cancel_withdrawal: (bench) => ({ accounts: withdrawing(bench).accounts }),
  complete_withdrawal: (bench) => {
    const { accounts } = withdrawing(bench)
    bench.vm.now += COOLDOWN
    return { accounts }
  },
  close_stake: (bench) => ({ accounts: emptied(bench).accounts }),
  report_behavior: (bench) => ({
    accounts: { ...reporter(bench), agent: registered(bench).agent },
    args: { delta: 10, reason: 1 },
  }),
}

function supervised(bench: Bench, by: 'owner' | 'admin'): { accounts: Accounts } {
  const { accounts, owner } = registered(bench)
  return { accounts: { ...accounts, authority: by === 'owner' ? owner : bench.admin } }
}

/** A registry in which this instruction succeeds. */
export function scenario(name: string): Scenario {
  if (name === 'initialize') {
    const bench = new Bench()
    return { bench, instruction: bench.instruction(name, {}, CONFIG_ARGS) }
  }
  const setUp = prepare[name]
  if (setUp === undefined) throw new Error(`no scenario for ${name}`)
  const bench = Bench.initialized()
  const { accounts, args } = setUp(bench)
  return { bench, instruction: bench.instruction(name, accounts, args) }
}
