import jsonld from 'jsonld'
import { quoted } from '../../../../domain/quoted.ts'
import type { Contexts } from '../../contexts/load.ts'

// The default loader goes to the network.
jsonld.documentLoader = (url) => Promise.reject(new Error(`no context is ever fetched: ${url}`))

/** N-Quads in the canonical form of RDFC-1.0; throws where a term is undefined or a limit is met. */
export type Canonize = (document: object) => Promise<string>

export function createCanonize(contexts: Contexts): Canonize {
  const documentLoader = (url: string) => {
    if (!contexts.has(url)) return Promise.reject(new Error(`${quoted(url)} is not a known context`))
    return Promise.resolve({
      contextUrl: null,
      documentUrl: url,
      document: contexts.get(url),
      tag: 'static' as const,
    })
  }
  return (document) =>
    jsonld.canonize(document, {
      safe: true,
      base: null,
      // As the other implementations do; without it safe mode refuses @direction, which VC 2.0 allows.
      rdfDirection: 'i18n-datatype',
      documentLoader,
      // A higher factor lets graphs of blank nodes run for seconds.
      canonizeOptions: { maxWorkFactor: 1 },
    })
}

/** What jsonld says of a document that it does not take, short. */
export function describeCanonizeError(error: unknown): string {
  const { message, details } = error as Error & {
    details?: { event?: { message?: string; details?: Record<string, unknown> }; code?: string }
  }
  const event = details?.event
  if (event?.message === undefined)
    return `${message.slice(0, 200)}${details?.code === undefined ? '' : ` (${details.code})`}`
  const { property, term, value, id, type } = event.details ?? {}
  const what = property ?? term ?? id ?? type ?? value
  return `${event.message.replace(/\.$/, '')}${what === undefined ? '' : `: ${quoted(what)}`}`
}
