import { Counter, Gauge, Histogram } from 'prom-client'
import type { Metrics } from '../../../platform/metrics/metrics.ts'
import type { VerificationResult } from './result.ts'

/** Seconds. A cached credential takes about 0.3 ms, a new one some milliseconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** `undecided`: stopped at a limit. `busy`: refused because too many credentials were waiting. */
type Outcome = 'verified' | 'refused' | 'invalid_json' | 'undecided' | 'busy'

export interface VerifierMetrics {
  readonly observe: (outcome: Outcome, seconds: number) => void
  readonly watchWaiting: (waiting: () => number) => void
}

export function createVerifierMetrics(metrics: Metrics): VerifierMetrics {
  const registers = [metrics]
  const verifications = new Counter({
    name: 'gateway_credentials_verifications_total',
    help: 'Verified credentials, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'gateway_credentials_verification_duration_seconds',
    help: 'Duration of a verification, including the waits for a thread and for status lists.',
    buckets: BUCKETS,
    registers,
  })
  return {
    observe: (outcome, seconds) => {
      verifications.inc({ outcome })
      duration.observe(seconds)
    },
    watchWaiting: (waiting) => {
      const gauge: Gauge = new Gauge({
        name: 'gateway_credentials_waiting',
        help: 'Credentials that wait for a thread.',
        registers,
        collect: () => {
          gauge.set(waiting())
        },
      })
    },
  }
}

export function outcomeOf({ parseError, proofVerified, verdict }: VerificationResult): Outcome {
  if (parseError !== null) return 'invalid_json'
  if (proofVerified) return 'verified'
  const isUndecided = verdict.signaturesValid === null && verdict.proofKeys.length > 0
  return isUndecided ? 'undecided' : 'refused'
}
