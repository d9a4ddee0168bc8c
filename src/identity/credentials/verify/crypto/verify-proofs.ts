import type { Pubkey } from '@agent-registry/solana'
import jsonld from 'jsonld'
import { verifyEd25519 } from '../../../../domain/ed25519.ts'
import { jcs, type JsonObject, sha256 } from '../../../json.ts'
import { decodeSignature } from '../../formats.ts'
import { quoted } from '../../../../domain/quoted.ts'
import type { Contexts } from '../../contexts/load.ts'

export type Suite = 'Ed25519Signature2020' | 'eddsa-rdfc-2022' | 'eddsa-jcs-2022'

export interface CryptoTask {
  /** The whole credential in JCS form. */
  readonly credential: string
  /** The suite and key of each proof, in order. */
  readonly proofs: readonly { readonly suite: Suite; readonly key: Pubkey }[]
}

export interface CryptoVerdict {
  readonly valid: boolean
  /** Empty if valid. */
  readonly problem: string
}

/** Verifies every proof of a credential. Small-order keys and nonces are refused. */
export async function verifyProofs(task: CryptoTask, canonize: Canonize): Promise<CryptoVerdict> {
  const credential = JSON.parse(task.credential) as JsonObject
  const proofs = [credential.proof].flat() as JsonObject[]
  for (const [i, { suite, key }] of task.proofs.entries()) {
    const proof = proofs[i]!
    let data: Buffer
    try {
      data = await signedData({ credential, proof, suite, canonize })
    } catch (error) {
      return invalid(`the credential cannot be canonicalised: ${describeCanonizeError(error)}`)
    }
    const signature = decodeSignature(proof.proofValue as string)
    if (signature === null || !verifyEd25519(data, signature, key)) {
      const name = proofs.length === 1 ? 'the signature' : `the signature of proof ${i + 1}`
      return invalid(`${name} does not match the credential and the issuer's key`)
    }
  }
  return { valid: true, problem: '' }
}

const invalid = (problem: string): CryptoVerdict => ({ valid: false, problem })

/**
 * The 64 bytes that a proof signs: the SHA-256 of the canonical proof options, then of the
 * canonical document without proofs (W3C vc-di-eddsa sections 3.2.4, 3.3.4 and A.1).
 */
export async function signedData(options: {
  credential: JsonObject
  proof: JsonObject
  suite: Suite
  canonize: Canonize
}): Promise<Buffer> {
  const { credential, proof, suite, canonize } = options
  const { proof: _, ...document } = credential
  const { proofValue: __, ...proofOptions } = proof
  const { '@context': proofContext } = proofOptions
  if (suite === 'eddsa-jcs-2022') {
    const signed = proofContext === undefined ? document : { ...document, '@context': proofContext }
    return Buffer.concat([sha256(jcs(proofOptions)), sha256(jcs(signed))])
  }
  const canonicalOptions = await canonize({ ...proofOptions, '@context': document['@context'] })
  return Buffer.concat([sha256(canonicalOptions), sha256(await canonize(document))])
}

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

/** These values need no escaping in N-Quads. */
const CREATED = /^[\dT:.Z+-]{20,40}$/
const KEY_ID = /^did:[a-z]+:[\w.:-]+#[\w.-]+$/
const PLACEHOLDERS = { created: '2000-01-01T00:00:00Z', verificationMethod: 'did:sol:placeholder#key-1' }
const USUAL_MEMBERS: ReadonlySet<string> = new Set([
  '@context',
  'created',
  'cryptosuite',
  'proofPurpose',
  'type',
  'verificationMethod',
])
const MAX_TEMPLATES = 100

/**
 * Canonicalises usual proof options with a template per context list and suite. They differ only in
 * `created` and `verificationMethod`, which do not change the order of lines. Saves a third of the
 * time.
 */
export function withProofTemplates(canonize: Canonize): Canonize {
  const templates = new Map<string, string[] | null>()

  return async (document) => {
    const options = document as Record<string, unknown>
    const { created, verificationMethod, ...shape } = options
    const isUsual =
      typeof created === 'string' &&
      CREATED.test(created) &&
      typeof verificationMethod === 'string' &&
      KEY_ID.test(verificationMethod) &&
      Object.keys(options).every((name) => USUAL_MEMBERS.has(name))
    if (!isUsual) return canonize(document)
    const key = JSON.stringify(shape)
    let template = templates.get(key)
    if (template === undefined) {
      template = splitAtPlaceholders(await canonize({ ...shape, ...PLACEHOLDERS }))
      if (templates.size < MAX_TEMPLATES) templates.set(key, template)
    }
    if (template === null) return canonize(document)
    const values = { [PLACEHOLDERS.created]: created, [PLACEHOLDERS.verificationMethod]: verificationMethod }
    return template.map((part) => values[part] ?? part).join('')
  }
}

/** The placeholders and the text around them. Null unless each placeholder occurs exactly once. */
function splitAtPlaceholders(text: string): string[] | null {
  const parts = text.split(/(2000-01-01T00:00:00Z|did:sol:placeholder#key-1)/)
  const found = parts.filter((_, i) => i % 2 === 1)
  return found.length === 2 && new Set(found).size === 2 ? parts : null
}
