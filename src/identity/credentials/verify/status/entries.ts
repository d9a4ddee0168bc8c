import { quoted } from '../../../../domain/quoted.ts'
import { isObject, type JsonValue } from '../../../strict-json.ts'

/** Each entry can cost a fetch. */
export const MAX_STATUS_ENTRIES = 4
export const MAX_LIST_URL_LENGTH = 2_048

const SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'ipfs:', 'ar:'])
/** Purposes that do not make a credential invalid (Bitstring Status List 1.0, section 2.1). */
const HARMLESS: ReadonlySet<unknown> = new Set(['refresh', 'message'])

/** Where an issuer says whether it revoked or suspended a credential. */
export interface StatusEntry {
  readonly purpose: 'revocation' | 'suspension'
  readonly index: number
  readonly listUrl: string
}

/**
 * The entries of a `credentialStatus` that can make a credential invalid. Returns a text if one is
 * not supported, because it could say that the credential is revoked.
 */
export function parseStatusEntries(credentialStatus: JsonValue): readonly StatusEntry[] | string {
  const all = [credentialStatus].flat()
  if (all.length === 0 || all.length > MAX_STATUS_ENTRIES) {
    return `credentialStatus must have 1 to ${MAX_STATUS_ENTRIES} entries; it has ${all.length}`
  }
  const entries: StatusEntry[] = []
  for (const each of all) {
    const entry = parseEntry(each)
    if (typeof entry === 'string') return `credentialStatus is not supported: ${entry}`
    if (entry !== null) entries.push(entry)
  }
  return entries
}

/** Null if the purpose of the entry is harmless. */
function parseEntry(entry: JsonValue): StatusEntry | null | string {
  if (!isObject(entry)) return 'an entry must be an object'
  const { type, statusPurpose, statusListIndex, statusListCredential, statusSize = 1 } = entry
  if (type !== 'BitstringStatusListEntry') {
    return `the type of an entry must be BitstringStatusListEntry; it is ${quoted(type)}`
  }
  if (HARMLESS.has(statusPurpose)) return null
  if (statusPurpose !== 'revocation' && statusPurpose !== 'suspension') {
    return `statusPurpose must be revocation, suspension, refresh or message; it is ${quoted(statusPurpose)}`
  }
  if (typeof statusListIndex !== 'string' || !/^\d{1,15}$/.test(statusListIndex)) {
    return `statusListIndex must be a string of 1 to 15 digits; it is ${quoted(statusListIndex)}`
  }
  if (statusSize !== 1) return `statusSize must be 1 for ${statusPurpose}; it is ${quoted(statusSize)}`
  if (typeof statusListCredential !== 'string' || !isListUrl(statusListCredential)) {
    return `statusListCredential must be a URL with scheme https, ipfs or ar; it is ${quoted(statusListCredential)}`
  }
  return { purpose: statusPurpose, index: Number(statusListIndex), listUrl: statusListCredential }
}

function isListUrl(text: string): boolean {
  return text.length <= MAX_LIST_URL_LENGTH && SCHEMES.has(URL.parse(text)?.protocol ?? '')
}
