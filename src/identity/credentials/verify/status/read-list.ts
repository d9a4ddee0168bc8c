import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { IssuerKey } from '../../../../domain/credential-verdict.ts'
import { quoted } from '../../../../domain/quoted.ts'
import { abortable } from '../../../../platform/async/promises.ts'
import { type FetchHostedResult, httpFreshness } from '../../../../platform/net/hosted/fetch-hosted.ts'
import { isObject, jcs, type JsonObject, sha256Hex } from '../../../json.ts'
import type { TrustRegistry } from '../../trusted-issuers.ts'
import {
  checkContext,
  checkType,
  getDataModel,
  getTypes,
  readDates,
  timeProblem,
} from '../checks/structure.ts'
import { checkProofPresent, checkProofVerified, type ProofDependencies } from '../checks/proof.ts'
import { getIssuer, hasKeys } from '../checks/trust.ts'
import { JSON_LIMITS, parseCredential } from '../parse-credential.ts'

/** The longest time for which a list is used again, in milliseconds. */
export const MAX_LIST_AGE_MS = 900_000
/** The default of `ttl`, for lists that come without any time. */
const DEFAULT_LIST_AGE_MS = 300_000
const CACHE_BYTES = 33_554_432
/** An entry's keys and names, roughly. */
const ENTRY_BYTES = 4_096

/** A list and the time when it was fetched, in milliseconds since the epoch. */
export interface FetchedList {
  readonly list: StatusList
  readonly fetchedAt: number
}

export interface ListRequest extends ExpectedList {
  /** Ends the wait, not the fetch: others may wait for it. */
  readonly signal: AbortSignal | undefined
}

/** Returns an issuer's list, or why it cannot be used. Throws VERIFIER_BUSY. */
export type StatusLists = (request: ListRequest) => Promise<FetchedList | string>

export interface StatusListsOptions extends Pick<ProofDependencies, 'pool' | 'cache'> {
  readonly fetch: (url: string) => Promise<FetchHostedResult>
  readonly knownContexts: ReadonlySet<string>
}

/** Fetches each list once for all who ask at the same time, and keeps it as long as it is fresh. */
export function createStatusLists(options: StatusListsOptions): StatusLists {
  const lists = new LRUCache<string, FetchedList & { readonly freshUntil: number }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ list }) => list.bits.length + ENTRY_BYTES,
  })
  const loading = new Map<string, Promise<FetchedList | string>>()

  async function load(key: string, expected: ExpectedList): Promise<FetchedList | string> {
    const { url, now } = expected
    const fetched = await options.fetch(url)
    if (fetched.kind === 'failed') return `the status list could not be fetched: ${fetched.reason}`
    const list = await readStatusList(fetched.body, expected, options)
    if (typeof list === 'string') return `the status list cannot be used: ${list}`
    const stated = [httpFreshness(fetched.headers), list.ttlMs].filter((ms) => ms !== null)
    const ageMs = Math.min(MAX_LIST_AGE_MS, ...(stated.length === 0 ? [DEFAULT_LIST_AGE_MS] : stated))
    const entry = { list, fetchedAt: now, freshUntil: Math.min(now + ageMs, list.validUntil) }
    lists.set(key, entry)
    return entry
  }

  return async ({ signal, ...expected }) => {
    const { url, issuer, now, trust } = expected
    const key = `${issuer} ${url}`
    const cached = lists.get(key)
    const isFresh = cached !== undefined && now >= cached.fetchedAt && now < cached.freshUntil
    if (isFresh && hasKeys(trust.find(issuer), cached.list.proofKeys)) return cached
    const running = loading.get(key) ?? load(key, expected).finally(() => loading.delete(key))
    loading.set(key, running)
    if (signal === undefined) return running
    return abortable(running, signal).catch((error: unknown) => {
      if (signal.aborted) return 'the service is shutting down'
      throw error
    })
  }
}

/** A list of a million entries, of which a tenth is set at random, has 80,000 bytes. */
export const MAX_LIST_BYTES = 524_288
/** Entries of a list. The minimum is that of the specification and hides who is asked about. */
export const MIN_LIST_ENTRIES = 131_072
export const MAX_LIST_ENTRIES = 8_388_608

const LIST_LIMITS = { bytes: MAX_LIST_BYTES, json: { ...JSON_LIMITS, stringLength: MAX_LIST_BYTES } }
const unzip = promisify(gunzip)

/** A verified status list. */
interface StatusList {
  readonly purposes: readonly unknown[]
  /** One bit per entry, the first is the highest bit of the first byte. */
  readonly bits: Buffer
  /** How long the issuer wants it to be cached, in milliseconds. Null if it does not say. */
  readonly ttlMs: number | null
  /** When the list or its proof expires, in milliseconds since the epoch. Infinity if never. */
  readonly validUntil: number
  readonly proofKeys: readonly IssuerKey[]
}

/** Whose list is expected at a URL. */
interface ExpectedList {
  readonly url: string
  /** The issuer of the credential, whose lists count. */
  readonly issuer: string
  readonly now: number
  readonly trust: TrustRegistry
}

/** Verifies and decodes a list. Returns a text if it cannot be used. Throws VERIFIER_BUSY. */
async function readStatusList(
  document: Uint8Array,
  expected: ExpectedList,
  { knownContexts, pool, cache }: StatusListsOptions,
): Promise<StatusList | string> {
  const { issuer, now, trust } = expected
  const credential = parseCredential(document, LIST_LIMITS)
  if (typeof credential === 'string') return `it cannot be parsed: ${credential}`
  const dates = readDates(credential, getDataModel(credential))
  const checks = [
    checkContext(credential, knownContexts),
    checkType(credential),
    checkProofPresent(credential),
  ]
  const problem =
    checks.find(({ passed }) => !passed)?.detail ??
    dates.problem ??
    timeProblem(dates.validity, now, 'it') ??
    listProblem(credential, expected)
  if (problem !== null) return problem
  const canonical = jcs(credential)
  const read = { credential, canonical, vcHash: sha256Hex(canonical) }
  // The issuer is trusted for the type of the credential, so it is for its status, too.
  const proof = await checkProofVerified({ ...read, issuer, types: null }, { now, trust, pool, cache })
  if (!proof.check.passed) return proof.check.detail
  const { statusPurpose, encodedList, ttl } = credential.credentialSubject as JsonObject
  const bits = await decodeList(encodedList)
  if (typeof bits === 'string') return bits
  const ends = [dates.validity.until, proof.proofValidity.until].flatMap((end) => end ?? [])
  return {
    purposes: [statusPurpose].flat(),
    bits,
    ttlMs: typeof ttl === 'number' && ttl >= 0 ? ttl : null,
    validUntil: Math.min(...ends.map((end) => Date.parse(end))),
    proofKeys: proof.proofKeys,
  }
}

/** Why a well-formed credential is not the expected list. Everything but the signature and bits. */
function listProblem(credential: JsonObject, { url, issuer }: ExpectedList): string | null {
  const { id, credentialSubject } = credential
  if (!getTypes(credential).includes('BitstringStatusListCredential')) {
    return 'its type does not include BitstringStatusListCredential'
  }
  if (id !== undefined && id !== url) return `its id is ${quoted(id)}, not its URL`
  const actual = getIssuer(credential)
  if (actual !== issuer) return `its issuer is ${quoted(actual)}, not the issuer of the credential`
  // A list whose status depends on another list could lead anywhere, also back to itself.
  if (Object.hasOwn(credential, 'credentialStatus')) return 'it has a credentialStatus of its own'
  if (!isObject(credentialSubject) || credentialSubject.type !== 'BitstringStatusList') {
    return 'its subject must be one BitstringStatusList'
  }
  return null
}

async function decodeList(encodedList: unknown): Promise<Buffer | string> {
  if (typeof encodedList !== 'string' || !/^u[A-Za-z0-9_-]+$/.test(encodedList)) {
    return 'its encodedList must be base64url text that starts with u'
  }
  let bits: Buffer
  try {
    bits = await unzip(Buffer.from(encodedList.slice(1), 'base64url'), {
      maxOutputLength: MAX_LIST_ENTRIES / 8,
    })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? `it has more than ${MAX_LIST_ENTRIES} entries`
      : 'its encodedList is not compressed with gzip'
  }
  const entries = 8 * bits.length
  return entries < MIN_LIST_ENTRIES ? `it has ${entries} entries; the minimum is ${MIN_LIST_ENTRIES}` : bits
}
