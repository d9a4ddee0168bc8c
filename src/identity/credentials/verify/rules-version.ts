import type { Contexts } from '../contexts/load.ts'
import { jcs, sha256Hex } from '../../hash.ts'

/** Increment this with every change that can give a credential another verdict. */
const RULES_VERSION = 1

/**
 * Identifies what a verdict depends on besides the credential: the rules and the JSON-LD contexts.
 */
export function getRulesVersion(contexts: Contexts, version = RULES_VERSION): string {
  return `${version}:${sha256Hex(jcs(Object.fromEntries(contexts)))}`
}
