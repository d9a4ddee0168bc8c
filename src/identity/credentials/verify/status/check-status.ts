import type { CredentialStatus } from '../../../../domain/credential-verdict.ts'
import { isObject, type JsonValue } from '../../../json.ts'
import { type Check, fail, pass } from '../result.ts'
import type { FetchedList, ListRequest, StatusLists } from './read-list.ts'
import { quoted } from '../../../../domain/quoted.ts'
import { isDocumentUrl } from '../../../sites.ts'

export interface StatusResult {
  readonly check: Check
  /** Null if the status is not known. */
  readonly status: CredentialStatus | null
}

/** The credential has a status, but it was not looked up. */
export const statusNotChecked = (reason: string): StatusResult => ({
  check: fail('status', `not checked because ${reason}`),
  status: null,
})

/** The check `status`: no list of the issuer revokes or suspends the credential. */
export async function checkStatus(
  credentialStatus: JsonValue,
  about: Omit<ListRequest, 'url'>,
  lists: StatusLists,
): Promise<StatusResult> {
  const entries = parseStatusEntries(credentialStatus)
  if (typeof entries === 'string') return { check: fail('status', entries), status: null }
  const answers = await Promise.all(entries.map((entry) => readEntry(entry, about, lists)))
  const known = answers.filter((answer) => typeof answer !== 'string')
  const off =
    known.find(({ state }) => state === 'revoked') ?? known.find(({ state }) => state === 'suspended')
  const oldest = Math.min(about.now, ...known.map(({ fetchedAt }) => fetchedAt))
  const checkedAt = new Date(oldest).toISOString()
  if (off !== undefined) {
    const { state, index } = off
    const detail = `${state}: the issuer set entry ${index} of its status list for ${off.purpose}`
    return { check: fail('status', detail), status: { state, checkedAt } }
  }
  const unknown = answers.find((answer) => typeof answer === 'string')
  if (unknown !== undefined) return { check: fail('status', `not known: ${unknown}`), status: null }
  const detail =
    entries.length === 0
      ? 'its credentialStatus is not for revocation or suspension'
      : `the issuer's status list of ${checkedAt} does not revoke or suspend it`
  return { check: pass('status', detail), status: { state: 'valid', checkedAt } }
}

type Answer = Pick<StatusEntry, 'purpose' | 'index'> &
  Pick<CredentialStatus, 'state'> &
  Pick<FetchedList, 'fetchedAt'>

/** What a list says, or why it says nothing. */
async function readEntry(
  { listUrl, purpose, index }: StatusEntry,
  about: Omit<ListRequest, 'url'>,
  lists: StatusLists,
): Promise<Answer | string> {
  const found = await lists({ ...about, url: listUrl })
  if (typeof found === 'string') return found
  const { list, fetchedAt } = found
  if (!list.purposes.includes(purpose)) return `the status list is not for ${purpose}`
  const byte = list.bits[Math.floor(index / 8)]
  if (byte === undefined) {
    return `the status list has ${8 * list.bits.length} entries, and statusListIndex is ${index}`
  }
  const isSet = (byte & (0x80 >> (index % 8))) !== 0
  const state = !isSet ? 'valid' : purpose === 'revocation' ? 'revoked' : 'suspended'
  return { state, purpose, index, fetchedAt }
}

/** Each entry can cost a fetch. */
export const MAX_STATUS_ENTRIES = 4
export const MAX_LIST_URL_LENGTH = 2_048

/** Purposes that do not make a credential invalid (Bitstring Status List 1.0, section 2.1). */
const HARMLESS: ReadonlySet<unknown> = new Set(['refresh', 'message'])

/** Where an issuer says whether it revoked or suspended a credential. */
interface StatusEntry {
  readonly purpose: 'revocation' | 'suspension'
  readonly index: number
  readonly listUrl: string
}

/** Returns a text if an entry is not supported: it could say that the credential is revoked. */
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
  const isListUrl =
    typeof statusListCredential === 'string' &&
    statusListCredential.length <= MAX_LIST_URL_LENGTH &&
    isDocumentUrl(statusListCredential)
  if (!isListUrl) {
    return `statusListCredential must be a URL with scheme https, ipfs or ar; it is ${quoted(statusListCredential)}`
  }
  return { purpose: statusPurpose, index: Number(statusListIndex), listUrl: statusListCredential }
}
