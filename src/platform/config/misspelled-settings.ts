import { editDistance } from '../../domain/edit-distance.ts'
import { SETTINGS } from './settings.ts'

const NAMES = Object.keys(SETTINGS)
const MAX_DISTANCE = 2
const SHORT_NAME = 8

/** Settings that were removed: the values that asked for nothing, and what to do now. */
const REMOVED: Record<string, [nothing: string[], instead: string]> = {
  API_PROCESSES: [['', '1'], 'run several gateways behind a load balancer, see docs/guides/scale.md'],
  SEARCH_INDEX_BYTES: [[''], 'REGISTRY_BYTES limits the memory of agents, stakes and searches'],
}

/**
 * One warning for each variable that is almost a setting, such as SEED_AGENT for SEED_AGENTS, or
 * that was one.
 */
export function misspelledSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).flatMap((given) => {
    if (given in SETTINGS) return []
    const [nothing, instead] = REMOVED[given] ?? []
    if (nothing?.includes(env[given]?.trim() ?? '') === false)
      return [`${given} is not a setting any more and is ignored: ${instead}`]
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
