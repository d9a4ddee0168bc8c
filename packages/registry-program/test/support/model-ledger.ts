import { PublicKey } from '@solana/web3.js'
import { type Actor, type Bench, DAY } from './bench.ts'

const SIZES = { agent: 421, stake: 129, vault: 165, withdrawal: 57, deactivationRecord: 51 }
type Place = keyof typeof SIZES

/** The state behind the model's rules: time, settings, and lamports that pay rent. */
export class ModelLedger {
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

  protected get today(): bigint {
    return this.now - (this.now % DAY)
  }

  protected bump(seed: string, key: string): number {
    const seeds = [Buffer.from(seed), new PublicKey(key).toBytes()]
    return PublicKey.findProgramAddressSync(seeds, new PublicKey(this.bench.vm.programId))[1]
  }

  protected open(actor: Actor, place: Place, payer: string): void {
    const rent = this.bench.vm.rent(SIZES[place])
    const present = this.lamports.get(actor[place]) ?? 0n
    if (present >= rent) return
    this.move(payer, actor[place], rent - present)
  }

  protected close(actor: Actor, place: Place, to: string): void {
    this.move(actor[place], to, this.lamports.get(actor[place]) ?? 0n)
  }

  private move(from: string, to: string, amount: bigint): void {
    this.lamports.set(from, (this.lamports.get(from) ?? 0n) - amount)
    this.lamports.set(to, (this.lamports.get(to) ?? 0n) + amount)
  }
}
