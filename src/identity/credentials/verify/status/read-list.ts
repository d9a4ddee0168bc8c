import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { IssuerKey } from '../../../../domain/credential-verdict.ts'
import { quoted } from '../../../../domain/quoted.ts'
import { InvalidJson, isObject, jcs, type JsonObject, sha256Hex } from '../../../json.ts'
import type { TrustRegistry } from '../../trusted-issuers.ts'
import {
  checkContext,
  checkType,
  getDataModel,
  getTypes,
  readDates,
  timeProblem,
} from '../checks/structure.ts'
import { checkProofPresent, checkProofVerified, getProofs, type ProofDependencies } from '../checks/proof.ts'
import { getIssuer } from '../checks/trust.ts'
import { JSON_LIMITS, parseCredential } from '../parse-credential.ts'

/** A list of a million entries, of which a tenth is set at random, has 80,000 bytes. */
export const MAX_LIST_BYTES = 524_288
/** Entries of a list. The minimum is that of the specification and hides who is asked about. */
export const MIN_LIST_ENTRIES = 131_072
export const MAX_LIST_ENTRIES = 8_388_608

const LIST_LIMITS = { bytes: MAX_LIST_BYTES, json: { ...JSON_LIMITS, stringLength: MAX_LIST_BYTES } }
const unzip = promisify(gunzip)

/** A verified status list. */
export interface StatusList {
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
export interface ExpectedList {
  readonly url: string
  /** The issuer of the credential, whose lists count. */
  readonly issuer: string
  readonly now: number
  readonly trust: TrustRegistry
}

export interface ReadListDependencies extends Pick<ProofDependencies, 'pool' | 'cache'> {
  readonly knownContexts: ReadonlySet<string>
}

/**
 * Verifies and decodes a status list. Returns a text if it cannot be used. Throws VERIFIER_BUSY.
 */
export async function readStatusList(
  document: Uint8Array,
  expected: ExpectedList,
  { knownContexts, pool, cache }: ReadListDependencies,
): Promise<StatusList | string> {
  const { issuer, now, trust } = expected
  let credential: JsonObject
  try {
    credential = parseCredential(document, LIST_LIMITS)
  } catch (error) {
    if (error instanceof InvalidJson) return `it cannot be parsed: ${error.message}`
    throw error
  }
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
  const read = { credential, canonical, vcHash: sha256Hex(canonical), proofs: getProofs(credential)! }
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
