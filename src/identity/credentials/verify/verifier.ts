import { LRUCache } from 'lru-cache'
import { isDomainError } from '../../../domain/errors.ts'
import { InvalidJson, type JsonObject } from '../../strict-json.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { checkContext, getDataModel } from './checks/context.ts'
import { checkProofPresent, getProofs } from './checks/proof-present.ts'
import { checkProofVerified, proofNotChecked } from './checks/proof-verified.ts'
import { checkSubject } from './checks/subject.ts'
import { checkTemporal, readDates } from './checks/temporal.ts'
import { getIssuer } from './checks/trust.ts'
import { checkType, getTypes, mainType, MAX_TYPES } from './checks/type.ts'
import { jcs, sha256Hex } from '../../hash.ts'
import { createCryptoPool, type CryptoPoolOptions } from './crypto/pool.ts'
import type { CryptoVerdict } from './crypto/protocol.ts'
import { outcomeOf, type VerifierMetrics } from './metrics.ts'
import { parseCredential } from './parse-credential.ts'
import { type Check, CHECK_NAMES, fail, type VerificationResult } from './result.ts'
import { getRulesVersion } from './rules-version.ts'
import { checkStatus, statusNotChecked, type StatusResult } from './status/check-status.ts'
import { readStatusList } from './status/read-list.ts'
import { createStatusLists, type StatusListsOptions } from './status/status-lists.ts'

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

export interface Verifier {
  /**
   * Verifies a credential given as UTF-8 bytes or as a parsed value. An invalid credential does not
   * throw. Throws VERIFIER_BUSY if too many credentials are being verified.
   */
  verify(raw: unknown, options: VerifyOptions): Promise<VerificationResult>
  close(): Promise<void>
}

export interface VerifierOptions extends CryptoPoolOptions {
  /** By default, no list can be fetched. */
  readonly fetchStatusList?: StatusListsOptions['fetch']
  readonly metrics?: VerifierMetrics
}

/** Verifies a strict profile of W3C Verifiable Credentials 1.1 and 2.0. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { contexts, metrics, fetchStatusList = fetchNoList } = options
  const pool = createCryptoPool(options)
  const cache = new LRUCache<string, CryptoVerdict>({ max: CACHED_VERDICTS })
  const knownContexts = new Set(contexts.keys())
  const rulesVersion = getRulesVersion(contexts)
  const statusLists = createStatusLists({
    fetch: fetchStatusList,
    read: (document, expected) => readStatusList(document, expected, { knownContexts, pool, cache }),
  })
  metrics?.watchWaiting(pool.waiting)

  async function verify(raw: unknown, about: VerifyOptions): Promise<VerificationResult> {
    const { agentDid, now, trust } = about
    const credential = parseCredential(raw)
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
    const proofs = getProofs(credential)
    // An expired credential, or one about another subject, can still have a valid signature.
    const blocking = [context, type, proofPresent].find(({ passed }) => !passed)
    const proof =
      blocking === undefined && proofs !== null
        ? await checkProofVerified(
            { credential, canonical, vcHash, proofs, issuer, types },
            { now, trust, pool, cache },
          )
        : proofNotChecked(`not checked because ${blocking?.check} failed`)
    const structure = [context, type, subject, temporal, proofPresent]
    const failed = [...structure, proof.check].find(({ passed }) => !passed)
    const status = await lookUpStatus(credential, { ...about, issuer, failed })
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

  /** Comes last, so that only credentials of trusted issuers cost a fetch. Null: it has no status. */
  async function lookUpStatus(
    { credentialStatus }: JsonObject,
    about: VerifyOptions & { readonly issuer: string; readonly failed: Check | undefined },
  ): Promise<StatusResult | null> {
    if (credentialStatus === undefined) return null
    const { failed, checksStatus = true, issuer, now, trust, signal } = about
    if (failed !== undefined) return statusNotChecked(`${failed.check} failed`)
    if (!checksStatus) return statusNotChecked('no status list may be fetched now')
    return checkStatus(credentialStatus, { issuer, now, trust, signal }, statusLists)
  }

  async function verifyMeasured(raw: unknown, about: VerifyOptions): Promise<VerificationResult> {
    const start = performance.now()
    const observe = (outcome: Parameters<VerifierMetrics['observe']>[0]) =>
      metrics?.observe(outcome, (performance.now() - start) / 1_000)
    try {
      const result = await verify(raw, about).catch((error: unknown) => {
        if (error instanceof InvalidJson) return invalidJsonResult(error.message, rulesVersion)
        throw error
      })
      observe(outcomeOf(result))
      return result
    } catch (error) {
      if (isDomainError(error, 'VERIFIER_BUSY')) observe('busy')
      throw error
    }
  }

  return { verify: verifyMeasured, close: () => pool.close() }
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
