import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '../../../platform/metrics/metrics.ts'
import type { VerificationResult } from './result.ts'

/** Seconds; a known credential takes about 0.3 ms, a new one some milliseconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** `busy`: refused, too many were waiting. `undecided`: stopped at a limit. */
type Outcome = 'verified' | 'refused' | 'unreadable' | 'undecided' | 'busy'

export interface VerifierMetrics {
  readonly observe: (outcome: Outcome, seconds: number) => void
  readonly watchWaiting: (waiting: () => number) => void
}

export function createVerifierMetrics(metrics: Metrics): VerifierMetrics {
  const verifications = new Counter({
    name: 'gateway_credentials_verifications_total',
    help: 'Credentials verified, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  })
  const duration = new Histogram({
    name: 'gateway_credentials_verification_duration_seconds',
    help: 'How long a verification took, waiting for a thread included',
    buckets: BUCKETS,
    registers: [metrics],
  })
  return {
    observe: (outcome, seconds) => {
      verifications.inc({ outcome })
      duration.observe(seconds)
    },
    watchWaiting: (waiting) => {
      const gauge: Gauge = new Gauge({
        name: 'gateway_credentials_waiting',
        help: 'Credentials that wait for a thread',
        registers: [metrics],
        collect: () => {
          gauge.set(waiting())
        },
      })
    },
  }
}

export function outcomeOf({ parseError: unreadable, proofVerified, verdict }: VerificationResult): Outcome {
  if (unreadable !== null) return 'unreadable'
  if (proofVerified) return 'verified'
  // Keys were found, and yet no signature was checked.
  return verdict.signaturesValid === null && verdict.proofKeys.length > 0 ? 'undecided' : 'refused'
}
