import type { Clock } from '../../platform/clock.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { SignatureInfo } from '../decode/rows.ts'

/** A signature that the node announced is fetched directly when its listing has not shown it for this long. */
const FETCH_DIRECTLY_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
/** Beyond this the listing alone has to do; nothing is lost, since it is complete. */
const MAX_AWAITED = 10_000

/** What subscriptions announced and the node's listing has not shown yet: listings may lag behind notifications. */
export class AwaitedSignatures {
  readonly #since = new Map<string, number>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#since.size
  }

  add(signature: string): void {
    if (this.#since.size < MAX_AWAITED && !this.#since.has(signature))
      this.#since.set(signature, this.#clock.now())
  }

  remove(signatures: Iterable<string>): void {
    for (const signature of signatures) this.#since.delete(signature)
  }

  /** Those to fetch without waiting for the listing; those older than a minute are forgotten. */
  overdue(): string[] {
    const now = this.#clock.now()
    for (const [signature, since] of this.#since)
      if (now - since > FORGET_AFTER_MS) this.#since.delete(signature)
    return [...this.#since]
      .filter(([, since]) => now - since > FETCH_DIRECTLY_AFTER_MS)
      .map(([signature]) => signature)
  }
}

/** getSignatureStatuses takes at most this many. */
const MAX_STATUSES = 256

/** Where the node has these transactions; those that it does not know are left out. */
export async function lookUp(rpc: LedgerRpc, signatures: readonly string[]): Promise<SignatureInfo[]> {
  const groups: string[][] = []
  for (let at = 0; at < signatures.length; at += MAX_STATUSES)
    groups.push(signatures.slice(at, at + MAX_STATUSES))
  if (groups.length === 0) return []
  const answers = await rpc.batch<{ value: ({ slot: number; err: unknown } | null)[] }>(
    groups.map((group) => ({
      method: 'getSignatureStatuses',
      params: [group, { searchTransactionHistory: true }],
    })),
  )
  return groups.flatMap((group, g) =>
    group.flatMap((signature, i) => {
      const found = answers[g]?.value[i] ?? null
      return found === null ? [] : [{ signature, slot: found.slot, err: found.err }]
    }),
  )
}
