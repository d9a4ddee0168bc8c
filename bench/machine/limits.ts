import { setTimeout as delay } from 'node:timers/promises'
import { type Load, type Shares, watchLoad } from './load.ts'

/** The load of the machine around a bench. Null if it cannot be measured. */
export interface Machine {
  readonly before: Load | null
  readonly during: Load | null
  /** Why the result cannot be trusted. Empty on an idle machine. */
  readonly busy: readonly string[]
}

/** Above these shares of all processors, a machine is busy. */
const MEAN: Shares = { others: 0.05, stolen: 0.02 }
const HIGHEST: Shares = { others: 0.2, stolen: 0.1 }
const BEFORE_MS = 10_000

/** Measures the machine before a bench, which must not run yet. */
export async function loadBefore(): Promise<Load | null> {
  const watch = watchLoad()
  await delay(BEFORE_MS)
  return watch.stop()
}

export function judged(before: Load | null, during: Load | null): Machine {
  return { before, during, busy: [...problems('before', before), ...problems('during', during)] }
}

export function problems(when: 'before' | 'during', load: Load | null): string[] {
  if (load === null) return [`the load of the machine cannot be measured on ${process.platform}`]
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
  const checks = [
    ['other processes used', '', load.mean.others, MEAN.others],
    ['other processes used', ' in ten seconds', load.highest.others, HIGHEST.others],
    ['the hypervisor took', '', load.mean.stolen, MEAN.stolen],
    ['the hypervisor took', ' in ten seconds', load.highest.stolen, HIGHEST.stolen],
  ] as const
  return checks
    .filter(([, , share, limit]) => share > limit)
    .map(
      ([who, period, share, limit]) =>
        `${who} ${percent(share)}${period} ${when} the bench (limit ${percent(limit)})`,
    )
}
