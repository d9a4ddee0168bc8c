import type { CredentialStatus } from '../../../../domain/credential-verdict.ts'
import type { JsonValue } from '../../../strict-json.ts'
import { type Check, fail, pass } from '../result.ts'
import { parseStatusEntries, type StatusEntry } from './entries.ts'
import type { FetchedList, ListRequest, StatusLists } from './status-lists.ts'

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
  const answers = await Promise.all(entries.map((entry) => look(entry, about, lists)))
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
async function look(
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
