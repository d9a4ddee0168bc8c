import type { Contexts } from '../contexts/load.ts'
import { jcs, sha256Hex } from './crypto/jcs.ts'

/** To be raised with each change by which a credential may get another verdict than before. */
const RULES_VERSION = 1

/** What verdicts depend on besides the credential: version of the rules, and hex SHA-256 of all contexts with their URLs. */
export function getRulesVersion(contexts: Contexts, version = RULES_VERSION): string {
  return `${version}:${sha256Hex(jcs(Object.fromEntries(contexts)))}`
}
