import { quoted } from '../../../../domain/quoted.ts'
import type { JsonObject } from '../../../strict-json.ts'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../contexts/pinned.ts'
import { type Check, fail, pass } from '../result.ts'
import { findUnsafeJsonLd } from './unsafe-json-ld.ts'

export const MAX_CONTEXTS = 6

export type DataModel = '1.1' | '2.0'

export function getDataModel(credential: JsonObject): DataModel | null {
  const { '@context': contexts } = credential
  const base = Array.isArray(contexts) ? contexts[0] : undefined
  if (base === CREDENTIALS_V1) return '1.1'
  return base === CREDENTIALS_V2 ? '2.0' : null
}

/** All contexts are pinned, starting with VC 1.1 or 2.0, and nothing can change or hide terms. */
export function checkContext(credential: JsonObject, known: ReadonlySet<string>): Check {
  const problem = contextProblem(credential['@context'], known) ?? findUnsafeJsonLd(credential)
  if (problem !== null) return fail('context', problem)
  return pass('context', `VC ${getDataModel(credential)}; all contexts are known and pinned`)
}

function contextProblem(contexts: unknown, known: ReadonlySet<string>): string | null {
  if (!Array.isArray(contexts) || contexts.length === 0) return '@context must be a list of URLs'
  if (contexts.length > MAX_CONTEXTS) {
    return `@context has ${contexts.length} entries; the limit is ${MAX_CONTEXTS}`
  }
  for (const [i, context] of contexts.entries()) {
    if (typeof context !== 'string') {
      return `@context[${i}] is not a URL; contexts inside a credential are not supported`
    }
    if (contexts.indexOf(context) !== i) return `@context has ${quoted(context)} twice`
    if (!known.has(context)) return `@context has ${quoted(context)}, which is not a known context`
    const isBase = context === CREDENTIALS_V1 || context === CREDENTIALS_V2
    if (isBase !== (i === 0)) {
      return `@context must start with ${CREDENTIALS_V1} or ${CREDENTIALS_V2} and contain only one of them`
    }
  }
  return null
}
