import { PublicKey } from '@solana/web3.js'
import { type RegistryAccounts, type Tier, TIERS } from '../../src/generated/types.ts'
import { REGISTRATION } from './actors.ts'
import { type Actor, type Bench, DAY } from './bench.ts'

const SIZES = { agent: 421, stake: 129, vault: 165, withdrawal: 57, deactivationRecord: 51 }
type Place = keyof typeof SIZES

type Agent = RegistryAccounts['Agent']
type Stake = RegistryAccounts['Stake']

/** The state of one owner, in the types of the codec. `tokens` is by account. */
export interface Holdings {
  agent: Agent | null
  stake: Stake | null
  withdrawal: RegistryAccounts['WithdrawalRequest'] | null
  record: RegistryAccounts['DeactivationRecord'] | null
  vaultTokens: bigint
  ownerTokens: bigint
}

/**
 * The rules of the registry, written again in TypeScript: each rule answers the error's name, or
 * null once applied.
 */
export class Model {
  /** Time, settings, and lamports that pay rent. */
  now: bigint
  paused = false
  thresholds: bigint[]
  cooldown: bigint
  readonly lamports = new Map<string, bigint>()
  private readonly bench: Bench

  constructor(bench: Bench, thresholds: bigint[], cooldown: bigint) {
    this.bench = bench
    this.now = bench.vm.now
    this.thresholds = thresholds
    this.cooldown = cooldown
  }

  private get today(): bigint {
    return this.now - (this.now % DAY)
  }

  private bump(seed: string, key: string): number {
    const seeds = [Buffer.from(seed), new PublicKey(key).toBytes()]
    return PublicKey.findProgramAddressSync(seeds, new PublicKey(this.bench.vm.programId))[1]
  }

  private open(actor: Actor, place: Place, payer: string): void {
    const rent = this.bench.vm.rent(SIZES[place])
    const present = this.lamports.get(actor[place]) ?? 0n
    if (present >= rent) return
    this.move(payer, actor[place], rent - present)
  }

  private close(actor: Actor, place: Place, to: string): void {
    this.move(actor[place], to, this.lamports.get(actor[place]) ?? 0n)
  }

  private move(from: string, to: string, amount: bigint): void {
    this.lamports.set(from, (this.lamports.get(from) ?? 0n) - amount)
    this.lamports.set(to, (this.lamports.get(to) ?? 0n) + amount)
  }

  register(actor: Actor, at: Holdings): string | null {
    if (this.paused) return 'Paused'
    if (at.agent !== null) return 'AlreadyInitialized'
    this.open(actor, 'agent', actor.payer)
    const { now } = this
    at.agent = {
      ...REGISTRATION,
      serviceCategory: 'research',
      capabilities: 0n,
      version: '',
      owner: actor.owner,
      tier: 'observer',
      status: 'active',
      reputationScore: at.record?.finalReputation ?? 250,
      createdAt: now,
      updatedAt: now,
      reputationUpdatedAt: now,
      tierEffectiveAt: now,
      reputationChangeToday: 0,
      reputationDayStart: this.today,
      suspendedByAdmin: false,
      bump: this.bump('agent', actor.owner),
      rentPayer: actor.payer,
    }
    return null
  }

  suspend({ agent }: Holdings, admin: boolean): string | null {
    if (agent === null) return 'InvalidAccountOwner'
    if (this.paused && !admin) return 'Paused'
    const takesOver = admin && agent.status === 'suspended' && !agent.suspendedByAdmin
    if (agent.status !== 'active' && !takesOver) return 'AgentNotActive'
    Object.assign(agent, { status: 'suspended', suspendedByAdmin: admin, updatedAt: this.now })
    return null
  }

  reactivate({ agent }: Holdings, admin: boolean): string | null {
    if (agent === null) return 'InvalidAccountOwner'
    if (this.paused && !admin) return 'Paused'
    if (agent.status === 'deactivated') return 'AgentDeactivated'
    if (agent.status === 'active') return 'AgentNotSuspended'
    if (agent.suspendedByAdmin && !admin) return 'SuspendedByAdmin'
    Object.assign(agent, { status: 'active', suspendedByAdmin: false, updatedAt: this.now })
    return null
  }

  deactivate(actor: Actor, at: Holdings): string | null {
    if (this.paused) return 'Paused'
    if (at.agent === null) return 'InvalidAccountOwner'
    if (at.agent.status === 'deactivated') return 'AgentDeactivated'
    if (at.agent.suspendedByAdmin) return 'SuspendedByAdmin'
    if (at.record === null) this.open(actor, 'deactivationRecord', actor.owner)
    at.record = {
      owner: actor.owner,
      deactivatedAt: this.now,
      finalReputation: at.agent.reputationScore,
      bump: this.bump('deactivated', actor.owner),
    }
    Object.assign(at.agent, { status: 'deactivated', updatedAt: this.now })
    return null
  }

  closeAgent(actor: Actor, at: Holdings): string | null {
    if (this.paused) return 'Paused'
    if (at.agent === null) return 'InvalidAccountOwner'
    if (at.agent.status !== 'deactivated') return 'AgentNotDeactivated'
    if (at.stake !== null) return 'StakeExists'
    if (this.changeToday(at.agent) !== 0) return 'ReputationChangedToday'
    this.close(actor, 'agent', actor.payer)
    at.agent = null
    return null
  }

  closeRecord(actor: Actor, at: Holdings): string | null {
    if (this.paused) return 'Paused'
    if (at.record === null) return 'InvalidAccountOwner'
    if (this.now < at.record.deactivatedAt + 30n * DAY) return 'RecordTooYoung'
    this.close(actor, 'deactivationRecord', actor.owner)
    at.record = null
    return null
  }

  deposit(actor: Actor, at: Holdings, amount: bigint): string | null {
    if (amount === 0n) return 'InvalidAmount'
    if (this.paused) return 'Paused'
    if (at.agent === null) return 'InvalidAccountOwner'
    if (at.agent.status !== 'active') return 'AgentNotActive'
    if ((at.stake?.depositedAmount ?? 0n) + amount >= 2n ** 64n) return 'Overflow'
    if (amount > at.ownerTokens) return 'custom 1'
    if (at.stake === null) {
      this.open(actor, 'stake', actor.payer)
      this.open(actor, 'vault', actor.payer)
      const empty = { depositedAmount: 0n, lockedAmount: 0n, pendingWithdrawal: 0n }
      const bump = this.bump('stake', actor.agent)
      at.stake = { agent: actor.agent, owner: actor.owner, ...empty, bump, rentPayer: actor.payer }
    }
    at.stake.depositedAmount += amount
    at.ownerTokens -= amount
    at.vaultTokens += amount
    this.setTier(at.agent, at.stake)
    return null
  }

  request(actor: Actor, at: Holdings, amount: bigint): string | null {
    if (amount === 0n) return 'InvalidAmount'
    if (at.agent === null || at.stake === null) return 'InvalidAccountOwner'
    if (at.withdrawal !== null) return 'WithdrawalPending'
    if (amount > at.stake.depositedAmount) return 'InsufficientStake'
    this.open(actor, 'withdrawal', actor.owner)
    const bump = this.bump('withdrawal', actor.stake)
    at.withdrawal = { stake: actor.stake, amount, requestedAt: this.now, bump }
    at.stake.pendingWithdrawal = amount
    this.setTier(at.agent, at.stake)
    return null
  }

  cancel(actor: Actor, at: Holdings): string | null {
    if (at.agent === null || at.stake === null || at.withdrawal === null) return 'InvalidAccountOwner'
    this.close(actor, 'withdrawal', actor.owner)
    at.withdrawal = null
    at.stake.pendingWithdrawal = 0n
    this.setTier(at.agent, at.stake)
    return null
  }

  complete(actor: Actor, at: Holdings): string | null {
    if (at.agent === null || at.stake === null || at.withdrawal === null) return 'InvalidAccountOwner'
    const { amount, requestedAt } = at.withdrawal
    if (this.now < requestedAt + this.cooldown) return 'CooldownNotOver'
    this.close(actor, 'withdrawal', actor.owner)
    at.withdrawal = null
    at.stake.pendingWithdrawal = 0n
    at.stake.depositedAmount -= amount
    at.vaultTokens -= amount
    at.ownerTokens += amount
    return null
  }

  closeStake(actor: Actor, at: Holdings): string | null {
    if (this.paused) return 'Paused'
    if (at.agent === null) return 'InvalidAccountOwner'
    if (at.agent.status !== 'deactivated') return 'AgentNotDeactivated'
    if (at.stake === null) return 'InvalidAccountOwner'
    if (at.stake.depositedAmount > 0n) return 'StakeNotEmpty'
    at.ownerTokens += at.vaultTokens
    at.vaultTokens = 0n
    this.close(actor, 'vault', actor.payer)
    this.close(actor, 'stake', actor.payer)
    at.stake = null
    return null
  }

  report({ agent }: Holdings, delta: number, weight: number): string | null {
    if (delta === 0) return 'ZeroDelta'
    if (this.paused) return 'Paused'
    if (agent === null) return 'InvalidAccountOwner'
    if (agent.status === 'deactivated') return 'AgentDeactivated'
    const weighed = Math.trunc((Math.max(-50, Math.min(50, delta)) * weight) / 5)
    const before = this.changeToday(agent)
    const net = Math.max(-100, Math.min(100, before + weighed))
    const score = Math.max(0, Math.min(1000, agent.reputationScore + net - before))
    const applied = score - agent.reputationScore
    if (applied === 0) return null
    const times = { reputationDayStart: this.today, reputationUpdatedAt: this.now, updatedAt: this.now }
    Object.assign(agent, { reputationScore: score, reputationChangeToday: before + applied, ...times })
    return null
  }

  private changeToday(agent: Agent): number {
    return agent.reputationDayStart === this.today ? agent.reputationChangeToday : 0
  }

  private setTier(agent: Agent, stake: Stake): void {
    const effective = stake.depositedAmount - stake.pendingWithdrawal
    const tier: Tier = TIERS[this.thresholds.filter((each) => each <= effective).length - 1] ?? 'observer'
    if (tier === agent.tier) return
    Object.assign(agent, { tier, tierEffectiveAt: this.now, updatedAt: this.now })
  }
}
