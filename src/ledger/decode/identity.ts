import { hash } from 'node:crypto'
import { encodeBase58 } from '@agent-registry/solana'
import type { ProgramData } from './program-logs.ts'

type Place = Pick<ProgramData, 'outer' | 'inner' | 'ordinal'>

/** Stable over forks, replays and rebuilds: `evt_` + base-58 of 16 bytes of SHA-256 over signature/outer/inner/ordinal. */
export function eventId(signature: string, place: Place): string {
  return hashed(`${signature}/${place.outer}/${place.inner}/${place.ordinal}`)
}

/** One ledger event may mean several webhook events; each has its own id. */
export function outboxId(signature: string, place: Place, type: string): string {
  return hashed(`${signature}/${place.outer}/${place.inner}/${place.ordinal}/${type}`)
}

/** Fixed width, so that text order is ledger order: slot(20)-transaction(6)-outer(4)-inner(4)-ordinal(4). */
export function positionOf(slot: number, transactionIndex: number, place: Place): string {
  return [
    digits(slot, 20),
    digits(transactionIndex, 6),
    digits(place.outer, 4),
    digits(place.inner, 4),
    digits(place.ordinal, 4),
  ].join('-')
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0')

function hashed(text: string): string {
  return `evt_${encodeBase58(hash('sha256', text, 'buffer').subarray(0, 16))}`
}
