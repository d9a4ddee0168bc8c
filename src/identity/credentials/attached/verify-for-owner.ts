import { textParameter } from '../../../domain/parameters.ts'
import { quoted } from '../../../domain/quoted.ts'
import { DomainError } from '../../../domain/errors.ts'
import { fetchHosted, type HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import { LIMITS } from '../verify/limits.ts'

/** Exactly one of the two. */
export interface CredentialSubmission {
  /** Of a hosted credential: https, ipfs or ar. */
  readonly credentialUrl?: string | null
  /** A W3C Verifiable Credential. */
  readonly credential?: unknown
}

export type SubmittedCredential =
  | { readonly kind: 'inline'; readonly credential: object }
  | { readonly kind: 'hosted'; readonly url: string }

const MAX_URL_LENGTH = 2_048
const SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'ipfs:', 'ar:'])

/** Throws CREDENTIAL_SOURCE unless there is exactly one, INVALID_TYPE and INVALID_TEXT for what is no object and no URL. */
export function parseSubmission({ credentialUrl, credential }: CredentialSubmission): SubmittedCredential {
  const hasUrl = credentialUrl !== undefined && credentialUrl !== null
  const hasCredential = credential !== undefined && credential !== null
  if (hasUrl === hasCredential) throw new DomainError('CREDENTIAL_SOURCE')
  if (hasUrl) return { kind: 'hosted', url: urlParameter('credentialUrl', credentialUrl) }
  if (typeof credential !== 'object' || Array.isArray(credential)) {
    throw new DomainError('INVALID_TYPE', {
      parameter: 'credential',
      expected: 'an object',
      value: quoted(credential),
    })
  }
  return { kind: 'inline', credential: credential as object }
}

/** The bytes of a hosted credential. Throws CREDENTIAL_NOT_FETCHED with a reason that tells nothing of addresses. */
export async function fetchCredential(url: string, hosted: HostedDependencies): Promise<Uint8Array> {
  const fetched = await fetchHosted(url, LIMITS.bytes, hosted)
  if (fetched.kind === 'fetched') return fetched.body
  throw new DomainError('CREDENTIAL_NOT_FETCHED', {}, { addition: { message: fetched.reason } })
}

function urlParameter(parameter: string, value: unknown): string {
  const text = textParameter(MAX_URL_LENGTH)(parameter, value)
  if (SCHEMES.has(URL.parse(text)?.protocol ?? '')) return text
  const problem = 'must be a URL with scheme https, ipfs or ar'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(text) })
}
