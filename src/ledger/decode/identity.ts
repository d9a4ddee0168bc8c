import { hash } from 'node:crypto'
import { encodeBase58 } from '@agent-registry/solana'
import type { ProgramData } from './program-logs.ts'

type Location = Pick<ProgramData, 'outer' | 'inner' | 'ordinal'>

/**
 * `evt_` + base-58 of the first 16 bytes of SHA-256 over signature/outer/inner/ordinal. The same
 * after forks, replays and rebuilds.
 */
export function eventId(signature: string, { outer, inner, ordinal }: Location): string {
  return hashed(`${signature}/${outer}/${inner}/${ordinal}`)
}

/** One event of the ledger may become several webhook events, each with its own id. */
export function outboxId(signature: string, { outer, inner, ordinal }: Location, type: string): string {
  return hashed(`${signature}/${outer}/${inner}/${ordinal}/${type}`)
}

/** Fixed width, so that text order is ledger order: slot(20)-transaction(6)-outer(4)-inner(4)-ordinal(4). */
export function positionOf(slot: number, transactionIndex: number, location: Location): string {
  return [
    digits(slot, 20),
    digits(transactionIndex, 6),
    digits(location.outer, 4),
    digits(location.inner, 4),
    digits(location.ordinal, 4),
  ].join('-')
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0')

function hashed(text: string): string {
  return `evt_${encodeBase58(hash('sha256', text, 'buffer').subarray(0, 16))}`
}
