import { DomainError } from '../../../domain/errors.ts'
import { textParameter } from '../../../domain/parameters.ts'
import { quoted } from '../../../domain/quoted.ts'
import { fetchHosted, type HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import { MAX_CREDENTIAL_BYTES } from '../verify/parse-credential.ts'

/** A credential to verify. Exactly one member must be set. */
export interface CredentialSubmission {
  /** https, ipfs or ar URL of a hosted credential. */
  readonly credentialUrl?: string | null
  /** A W3C Verifiable Credential. */
  readonly credential?: unknown
}

export type ParsedSubmission =
  | { readonly kind: 'inline'; readonly credential: object }
  | { readonly kind: 'hosted'; readonly url: string }

export const MAX_URL_LENGTH = 2_048
const SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'ipfs:', 'ar:'])

/** Throws CREDENTIAL_SOURCE unless exactly one member is set, INVALID_TYPE and INVALID_TEXT. */
export function parseSubmission({ credentialUrl, credential }: CredentialSubmission): ParsedSubmission {
  const hasUrl = credentialUrl !== undefined && credentialUrl !== null
  const hasCredential = credential !== undefined && credential !== null
  if (hasUrl === hasCredential) throw new DomainError('CREDENTIAL_SOURCE')
  if (hasUrl) return { kind: 'hosted', url: readUrl('credentialUrl', credentialUrl) }
  if (typeof credential !== 'object' || Array.isArray(credential)) {
    const details = { parameter: 'credential', expected: 'an object', value: quoted(credential) }
    throw new DomainError('INVALID_TYPE', details)
  }
  return { kind: 'inline', credential: credential as object }
}

/** Throws CREDENTIAL_NOT_FETCHED with a reason that does not reveal addresses. */
export async function fetchCredential(url: string, hosted: HostedDependencies): Promise<Uint8Array> {
  const fetched = await fetchHosted(url, MAX_CREDENTIAL_BYTES, hosted)
  if (fetched.kind === 'fetched') return fetched.body
  throw new DomainError('CREDENTIAL_NOT_FETCHED', {}, { addition: { message: fetched.reason } })
}

function readUrl(parameter: string, value: unknown): string {
  const text = textParameter(MAX_URL_LENGTH)(parameter, value)
  if (SCHEMES.has(URL.parse(text)?.protocol ?? '')) return text
  const problem = 'must be a URL with scheme https, ipfs or ar'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(text) })
}
