const WORDS =
  'Weather Market Cargo Legal Travel Health Energy Garden Harbor Signal Quantum Silver Atlas Nimbus Copper'
const KINDS = 'Scout Broker Pilot Analyst Courier Warden Planner Oracle Curator Ranger Auditor Tutor'

/**
 * Paths that hardly repeat, so that no cache helps: 70 % one agent, 25 % a page of the list, 5 % a
 * search by name. Every run has the same ones.
 */
export function createRequests(pdas: readonly string[]): () => string {
  const random = mulberry32(42)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = (values: string): string => values.split(' ')[below(values.split(' ').length)] ?? ''
  return () => {
    const kind = below(100)
    if (kind < 70) return `/agents/${pdas[below(pdas.length)]}`
    if (kind < 95) return `/agents?limit=${30 + below(40)}&offset=${below(2_000)}`
    return `/agents?name=${pick(WORDS)}+${pick(KINDS)}+${below(4_096).toString(16)}&limit=50`
  }
}

/** A random generator of numbers from 0 to 1 with a seed. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}
