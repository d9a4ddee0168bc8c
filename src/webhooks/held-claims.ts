import type { Claim } from './queue.ts'

/**
 * What happens to a claim in this process. `unwritten`: its attempt succeeded and its slot is free,
 * but the outcome is not written yet. `writing`: the same of another outcome, which keeps the slot,
 * because it may pause or disable the webhook.
 */
export type ClaimState = 'claimed' | 'sending' | 'writing' | 'unwritten' | 'settled' | 'released'

const NEXT: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  claimed: ['sending', 'released'],
  sending: ['writing', 'unwritten', 'released'],
  writing: ['settled', 'released'],
  unwritten: ['settled', 'released'],
  settled: [],
  released: [],
}

/** The claims of a worker that have not ended. */
export class HeldClaims {
  readonly #held = new Map<string, { id: string; state: ClaimState }>()
  #unwritten = 0

  /** Throws if the claim cannot get into this state. */
  move({ id, token }: Pick<Claim, 'id' | 'token'>, state: ClaimState): void {
    const before = this.#held.get(token)?.state
    const allowed = before === undefined ? ['claimed'] : NEXT[before]
    if (!allowed.includes(state)) throw new Error(`a delivery that is ${before} cannot become ${state}`)
    this.#unwritten += Number(state === 'unwritten') - Number(before === 'unwritten')
    if (NEXT[state].length > 0) this.#held.set(token, { id, state })
    else this.#held.delete(token)
  }

  get unwritten(): number {
    return this.#unwritten
  }

  /**
   * The deliveries that hold no slot: limits of webhooks and sites need not count them. One that
   * the worker claimed again, because its lease ended before the outcome was written, counts.
   */
  withoutSlot(): string[] {
    if (this.#unwritten === 0) return []
    const all = [...this.#held.values()]
    const withSlot = new Set(all.filter(({ state }) => state !== 'unwritten').map(({ id }) => id))
    return all.filter(({ id, state }) => state === 'unwritten' && !withSlot.has(id)).map(({ id }) => id)
  }
}
