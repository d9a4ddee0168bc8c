import type { Claim } from './queue.ts'

/**
 * What happens to a claim in this process. `delivered`: its attempt succeeded and its slot is free,
 * but the outcome is not written yet. `writing`: another outcome is being written. It keeps the
 * slot, because it may pause or disable the webhook.
 */
type ClaimState = 'claimed' | 'sending' | 'writing' | 'delivered' | 'settled' | 'released'

const NEXT: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  claimed: ['sending', 'released'],
  sending: ['writing', 'delivered', 'released'],
  writing: ['settled', 'released'],
  delivered: ['settled', 'released'],
  settled: [],
  released: [],
}

/** The claims of a worker that have not ended. */
export class HeldClaims {
  readonly #held = new Map<string, { id: string; state: ClaimState }>()
  #delivered = 0

  /** Throws if the claim cannot get into this state. */
  move({ id, token }: Pick<Claim, 'id' | 'token'>, state: ClaimState): void {
    const before = this.#held.get(token)?.state
    const allowed = before === undefined ? ['claimed'] : NEXT[before]
    if (!allowed.includes(state)) throw new Error(`a delivery that is ${before} cannot become ${state}`)
    this.#delivered += Number(state === 'delivered') - Number(before === 'delivered')
    if (NEXT[state].length > 0) this.#held.set(token, { id, state })
    else this.#held.delete(token)
  }

  get delivered(): number {
    return this.#delivered
  }

  /**
   * The deliveries that hold no slot: limits of webhooks and sites need not count them. One that
   * the worker claimed again, because its lease ended before the outcome was written, counts.
   */
  withoutSlot(): string[] {
    if (this.#delivered === 0) return []
    const all = [...this.#held.values()]
    const withSlot = new Set(all.filter(({ state }) => state !== 'delivered').map(({ id }) => id))
    return all.filter(({ id, state }) => state === 'delivered' && !withSlot.has(id)).map(({ id }) => id)
  }
}
