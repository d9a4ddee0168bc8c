import type { Contexts } from '../contexts/load.ts'
import { VERIFIABLE_CREDENTIAL } from '../kinds.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { checkContext, getDataModel } from './checks/context.ts'
import { checkProofPresent, getProofs } from './checks/proof-present.ts'
import { checkSubject } from './checks/subject.ts'
import { checkTemporal, readDates } from './checks/temporal.ts'
import { checkType, mainType, getTypes } from './checks/type.ts'
import { type CryptoPoolOptions, createCryptoPool } from './crypto/pool.ts'
import { checkProofVerified, type ProofsResult } from './checks/proof-verified.ts'
import { isDomainError } from '../../../domain/errors.ts'
import { outcomeOf, type VerifierMetrics } from './metrics.ts'
import { jcs, sha256Hex } from './crypto/jcs.ts'
import { fail, type VerificationResult } from './result.ts'
import { isObject, type JsonObject, parseStrictJson, InvalidJson } from './strict-json.ts'
import { getRulesVersion } from './rules-version.ts'
import { getIssuer } from './checks/trust.ts'
import { unreadableResult } from './unreadable.ts'
import { createVerdictCache } from './verdict-cache.ts'

export interface VerifyOptions {
  /** The DID that the credential must be about. */
  readonly agentDid: string
  /** ms since the epoch. */
  readonly now: number
  readonly trust: TrustRegistry
}

export interface Verifier {
  /**
   * Verifies a credential given as UTF-8 JSON (a hosted one: its bytes) or as a value that was read from JSON. Never throws for what the
   * credential says; throws VERIFIER_BUSY when too many are being verified.
   */
  verify(raw: unknown, options: VerifyOptions): Promise<VerificationResult>
  /** Credentials that wait for a thread. */
  readonly waiting: () => number
  close(): Promise<void>
}

export interface VerifierOptions extends Omit<CryptoPoolOptions, 'contexts'> {
  readonly contexts: Contexts
  readonly metrics?: VerifierMetrics
}

/** The strict profile of W3C Verifiable Credentials 1.1 and 2.0 that README.md in this folder describes. */
export function createVerifier(options: VerifierOptions): Verifier {
  const pool = createCryptoPool(options)
  const cache = createVerdictCache()
  const known = new Set(options.contexts.keys())
  const rules = getRulesVersion(options.contexts)

  async function verify(raw: unknown, { agentDid, now, trust }: VerifyOptions): Promise<VerificationResult> {
    const credential = read(raw)
    if (typeof credential === 'string') return unreadableResult(credential, rules)
    const canonical = jcs(credential)
    const vcHash = sha256Hex(canonical)
    const issuer = getIssuer(credential)
    const types = getTypes(credential)
    const dates = readDates(credential, getDataModel(credential))
    const context = checkContext(credential, known)
    const type = checkType(credential)
    const subject = checkSubject(credential, agentDid)
    const temporal = checkTemporal(dates, now)
    const proofPresent = checkProofPresent(credential)
    const proofs = getProofs(credential)
    const isReady = context.passed && type.passed && proofPresent.passed && proofs !== null
    const signed = isReady
      ? await checkProofVerified(
          { credential, canonical, vcHash, proofs, issuer, types },
          { now, trust, pool, cache },
        )
      : notChecked([context, type, proofPresent].find(({ passed }) => !passed)?.check ?? '')
    const structure = [context, type, subject, temporal, proofPresent]
    return {
      structurallyValid: structure.every(({ passed }) => passed),
      proofVerified: signed.check.passed,
      type: mainType(types, hasBaseType(credential)),
      issuer,
      vcHash,
      checks: [...structure, signed.check],
      validFrom: dates.validity.from,
      validUntil: dates.validity.until,
      contentHash: signed.contentHash,
      parseError: null,
      verdict: {
        rulesVersion: rules,
        wellFormed: [context, type, subject, proofPresent].every(({ passed }) => passed),
        datesValid: dates.problem === null,
        issuer,
        types,
        validity: dates.validity,
        proofValidity: signed.proofValidity,
        proofKeys: signed.proofKeys,
        signaturesValid: signed.signaturesValid,
      },
    }
  }

  options.metrics?.watchWaiting(pool.waiting)

  async function measured(raw: unknown, about: VerifyOptions): Promise<VerificationResult> {
    const start = performance.now()
    const observe = (outcome: Parameters<VerifierMetrics['observe']>[0]) =>
      options.metrics?.observe(outcome, (performance.now() - start) / 1_000)
    try {
      const result = await verify(raw, about)
      observe(outcomeOf(result))
      return result
    } catch (error) {
      if (isDomainError(error, 'VERIFIER_BUSY')) observe('busy')
      throw error
    }
  }

  return { verify: measured, waiting: pool.waiting, close: () => pool.close() }
}

/** The credential, or why it cannot be read. */
function read(raw: unknown): JsonObject | string {
  try {
    const value = parseStrictJson(raw instanceof Uint8Array ? raw : Buffer.from(JSON.stringify(raw) ?? ''))
    return isObject(value) ? value : 'it is not a JSON object'
  } catch (error) {
    if (error instanceof InvalidJson) return error.message
    // A value that no JSON text stands for.
    if (error instanceof TypeError || error instanceof RangeError) return 'it is not JSON'
    throw error
  }
}

function hasBaseType({ type }: JsonObject): boolean {
  return Array.isArray(type) ? type.includes(VERIFIABLE_CREDENTIAL) : type === VERIFIABLE_CREDENTIAL
}

function notChecked(failed: string): ProofsResult {
  return {
    check: fail('proof_verified', `not checked, because ${failed} failed`),
    proofValidity: { from: null, until: null },
    proofKeys: [],
    signaturesValid: null,
    contentHash: null,
  }
}
