import type { Contexts } from '../contexts/load.ts'
import { jcs, sha256Hex } from '../../hash.ts'

/** Increment this with every change that can give a credential another verdict. */
const RULES_VERSION = 3

/** Identifies the rules and the JSON-LD contexts that a verdict depends on. */
export function getRulesVersion(contexts: Contexts, version = RULES_VERSION): string {
  return `${version}:${sha256Hex(jcs(Object.fromEntries(contexts)))}`
}
