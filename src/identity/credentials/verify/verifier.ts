import { LRUCache } from 'lru-cache'
import { Counter, Histogram } from 'prom-client'
import { isDomainError } from '../../../domain/errors.ts'
import { jcs, type JsonObject, sha256Hex } from '../../json.ts'
import type { TrustRegistry } from '../trusted-issuers.ts'
import {
  checkContext,
  checkSubject,
  checkTemporal,
  checkType,
  getDataModel,
  getTypes,
  mainType,
  MAX_TYPES,
  readDates,
} from './checks/structure.ts'
import { checkProofPresent, checkProofVerified, proofNotChecked } from './checks/proof.ts'
import { getIssuer } from './checks/trust.ts'
import { createCryptoPool, type CryptoPool, type CryptoPoolOptions } from './crypto/pool.ts'
import type { CryptoVerdict } from './crypto/verify-proofs.ts'
import { parseCredential } from './parse-credential.ts'
import { type Check, CHECK_NAMES, fail, getRulesVersion, type VerificationResult } from './result.ts'
import { checkStatus, statusNotChecked, type StatusResult } from './status/check-status.ts'
import { createStatusLists, type StatusLists, type StatusListsOptions } from './status/read-list.ts'
import { addGauge, type Metrics } from '../../../platform/metrics/metrics.ts'

const CACHED_VERDICTS = 5_000

export interface VerifyOptions {
  /** The DID that the credential must be about. */
  readonly agentDid: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly trust: TrustRegistry
  /** False: no status list is fetched, and the check `status` fails. True by default. */
  readonly checksStatus?: boolean
  /** Ends the wait for status lists. */
  readonly signal?: AbortSignal
}

export type Verifier = ReturnType<typeof createVerifier>

interface VerifierOptions extends CryptoPoolOptions {
  /** By default, no list can be fetched. */
  readonly fetchStatusList?: StatusListsOptions['fetch']
  readonly metrics?: VerifierMetrics
}

/** What each verification needs. */
interface VerifierParts {
  readonly knownContexts: ReadonlySet<string>
  readonly rulesVersion: string
  readonly pool: CryptoPool
  /** Of proofs. */
  readonly cache: LRUCache<string, CryptoVerdict>
  readonly statusLists: StatusLists
}

/** Verifies a strict profile of W3C Verifiable Credentials 1.1 and 2.0. */
export function createVerifier(options: VerifierOptions) {
  const { contexts, metrics, fetchStatusList = fetchNoList } = options
  const pool = createCryptoPool(options)
  const cache = new LRUCache<string, CryptoVerdict>({ max: CACHED_VERDICTS })
  const knownContexts = new Set(contexts.keys())
  const rulesVersion = getRulesVersion(contexts)
  const statusLists = createStatusLists({ fetch: fetchStatusList, knownContexts, pool, cache })
  const parts = { knownContexts, rulesVersion, pool, cache, statusLists }
  metrics?.watchWaiting(pool.waiting)

  /**
   * Verifies a credential given as UTF-8 bytes or as a parsed value. An invalid credential does not
   * throw. Throws VERIFIER_BUSY if too many credentials are being verified.
   */
  async function verifyMeasured(raw: unknown, about: VerifyOptions): Promise<VerificationResult> {
    const start = performance.now()
    const observe = (outcome: Outcome) => metrics?.observe(outcome, (performance.now() - start) / 1_000)
    const result = await verify(raw, about, parts).catch((error: unknown) => {
      if (isDomainError(error, 'VERIFIER_BUSY')) observe('busy')
      throw error
    })
    observe(outcomeOf(result))
    return result
  }

  return { verify: verifyMeasured, close: () => pool.close() }
}

async function verify(
  raw: unknown,
  about: VerifyOptions,
  { knownContexts, rulesVersion, pool, cache, statusLists }: VerifierParts,
): Promise<VerificationResult> {
  const { agentDid, now, trust } = about
  const credential = parseCredential(raw)
  if (typeof credential === 'string') return invalidJsonResult(credential, rulesVersion)
  const canonical = jcs(credential)
  const vcHash = sha256Hex(canonical)
  const issuer = getIssuer(credential)
  const types = getTypes(credential)
  const dates = readDates(credential, getDataModel(credential))
  const context = checkContext(credential, knownContexts)
  const type = checkType(credential)
  const subject = checkSubject(credential, agentDid)
  const temporal = checkTemporal(dates, now)
  const proofPresent = checkProofPresent(credential)
  // An expired credential, or one about another subject, can still have a valid signature.
  const blocking = [context, type, proofPresent].find(({ passed }) => !passed)
  const proof =
    blocking === undefined
      ? await checkProofVerified(
          { credential, canonical, vcHash, issuer, types },
          { now, trust, pool, cache },
        )
      : proofNotChecked(`not checked because ${blocking.check} failed`)
  const structure = [context, type, subject, temporal, proofPresent]
  const failed = [...structure, proof.check].find(({ passed }) => !passed)
  const status = await readStatus(credential, { ...about, issuer, failed }, statusLists)
  return {
    structurallyValid: structure.every(({ passed }) => passed),
    proofVerified: proof.check.passed && status?.check.passed !== false,
    type: mainType(credential),
    issuer,
    vcHash,
    checks: [...structure, proof.check, ...(status === null ? [] : [status.check])],
    validFrom: dates.validity.from,
    validUntil: dates.validity.until,
    parseError: null,
    verdict: {
      rulesVersion,
      wellFormed: blocking === undefined && subject.passed,
      datesValid: dates.problem === null,
      issuer,
      types: types.slice(0, MAX_TYPES),
      validity: dates.validity,
      proofValidity: proof.proofValidity,
      proofKeys: proof.proofKeys,
      signaturesValid: proof.signaturesValid,
      hasStatus: status !== null,
    },
    status: status?.status ?? null,
  }
}

/** Last, so that only credentials of trusted issuers cost a fetch. Null: it has no status. */
async function readStatus(
  { credentialStatus }: JsonObject,
  about: VerifyOptions & { readonly issuer: string; readonly failed: Check | undefined },
  statusLists: StatusLists,
): Promise<StatusResult | null> {
  if (credentialStatus === undefined) return null
  const { failed, checksStatus = true, issuer, now, trust, signal } = about
  if (failed !== undefined) return statusNotChecked(`${failed.check} failed`)
  if (!checksStatus) return statusNotChecked('no status list may be fetched now')
  return checkStatus(credentialStatus, { issuer, now, trust, signal }, statusLists)
}

const fetchNoList: StatusListsOptions['fetch'] = () =>
  Promise.resolve({ kind: 'failed', reason: 'No list can be fetched', host: null })

function invalidJsonResult(parseError: string, rulesVersion: string): VerificationResult {
  const noBounds = { from: null, until: null }
  return {
    structurallyValid: false,
    proofVerified: false,
    type: '',
    issuer: '',
    vcHash: '',
    checks: CHECK_NAMES.map((check) => fail(check, `the credential cannot be parsed: ${parseError}`)),
    validFrom: null,
    validUntil: null,
    parseError,
    verdict: {
      rulesVersion,
      wellFormed: false,
      datesValid: false,
      issuer: '',
      types: [],
      validity: noBounds,
      proofValidity: noBounds,
      proofKeys: [],
      signaturesValid: false,
      hasStatus: false,
    },
    status: null,
  }
}

/** Seconds. A cached credential takes about 0.3 ms, a new one some milliseconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** `undecided`: stopped at a limit. `busy`: refused because too many credentials were waiting. */
type Outcome = 'verified' | 'refused' | 'invalid_json' | 'undecided' | 'busy'

type VerifierMetrics = ReturnType<typeof createVerifierMetrics>

export function createVerifierMetrics(metrics: Metrics) {
  const registers = [metrics]
  const verifications = new Counter({
    name: 'gateway_credentials_verifications_total',
    help: 'Verified credentials, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'gateway_credentials_verification_duration_seconds',
    help: 'Duration of a verification, including the waits for a thread and for status lists.',
    buckets: BUCKETS,
    registers,
  })
  return {
    observe: (outcome: Outcome, seconds: number): void => {
      verifications.inc({ outcome })
      duration.observe(seconds)
    },
    watchWaiting: (waiting: () => number): void => {
      const about = { name: 'gateway_credentials_waiting', help: 'Credentials that wait for a thread.' }
      addGauge(metrics, about, waiting)
    },
  }
}

function outcomeOf({ parseError, proofVerified, verdict }: VerificationResult): Outcome {
  if (parseError !== null) return 'invalid_json'
  if (proofVerified) return 'verified'
  const isUndecided = verdict.signaturesValid === null && verdict.proofKeys.length > 0
  return isUndecided ? 'undecided' : 'refused'
}
