import jsonld from 'jsonld'
import { quoted } from '../../../../domain/quoted.ts'
import type { Contexts } from '../../contexts/load.ts'

// The default loader would access the network.
jsonld.documentLoader = (url) => Promise.reject(new Error(`contexts are never fetched: ${url}`))

/** Returns canonical N-Quads (RDFC-1.0). Throws for undefined terms and exceeded limits. */
export type Canonize = (document: object) => Promise<string>

export function createCanonize(contexts: Contexts): Canonize {
  const documentLoader = (url: string) => {
    if (!contexts.has(url)) return Promise.reject(new Error(`${quoted(url)} is not a known context`))
    const document = contexts.get(url)
    return Promise.resolve({ contextUrl: null, documentUrl: url, document, tag: 'static' as const })
  }
  return (document) =>
    jsonld.canonize(document, {
      safe: true,
      base: null,
      // Other implementations use this too. Without it, safe mode refuses @direction, which VC 2.0
      // allows.
      rdfDirection: 'i18n-datatype',
      documentLoader,
      // With a higher factor, graphs of blank nodes can run for seconds.
      canonizeOptions: { maxWorkFactor: 1 },
    })
}

/** A short text for an error of jsonld. */
export function describeCanonizeError(error: unknown): string {
  const { message, details } = error as Error & {
    details?: { event?: { message?: string; details?: Record<string, unknown> }; code?: string }
  }
  const event = details?.event
  if (event?.message === undefined) {
    return `${message.slice(0, 200)}${details?.code === undefined ? '' : ` (${details.code})`}`
  }
  const { property, term, id, type, value } = event.details ?? {}
  const subject = property ?? term ?? id ?? type ?? value
  return `${event.message.replace(/\.$/, '')}${subject === undefined ? '' : `: ${quoted(subject)}`}`
}
