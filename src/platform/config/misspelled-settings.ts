import { editDistance } from '../../domain/edit-distance.ts'
import { SETTINGS } from './settings.ts'

const NAMES = Object.keys(SETTINGS)
const MAX_DISTANCE = 2
const SHORT_NAME = 8

/** Settings of earlier builds, and the values that asked for what happens now. */
const REMOVED: Readonly<Record<string, { readonly instead: string; readonly harmless: string }>> = {
  API_PROCESSES: {
    instead: 'run several gateways behind a load balancer, see docs/guides/scale.md',
    harmless: '1',
  },
  RESPONSE_CACHE_BYTES: { instead: 'responses are not cached any more', harmless: '0' },
}

/**
 * One warning for each variable that is almost a setting, such as SEED_AGENT for SEED_AGENTS, or
 * that was one.
 */
export function misspelledSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).flatMap((given) => {
    if (given in SETTINGS) return []
    const removed = REMOVED[given]
    if (removed !== undefined)
      return ['', removed.harmless].includes(env[given]?.trim() ?? '')
        ? []
        : [`${given} is not a setting any more and is ignored: ${removed.instead}`]
    const meant = NAMES.find((name) => isSimilar(given, name))
    return meant === undefined ? [] : [`${given} is not a setting and is ignored; did you mean ${meant}?`]
  })
}

function isSimilar(given: string, name: string): boolean {
  // SOLANA_RPC, but not SOLANA or HOST_NAME: single words and longer names belong to other
  // programs.
  if (given.includes('_') && name.startsWith(`${given}_`)) return true
  const allowed = name.length < SHORT_NAME ? 1 : MAX_DISTANCE
  return Math.abs(given.length - name.length) <= allowed && editDistance(given, name) <= allowed
}
