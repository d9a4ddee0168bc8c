import { booleanParameter, optional, textParameter } from '../../../domain/parameters.ts'
import { isDomainError } from '../../../domain/errors.ts'
import { ownerDid } from '../../../domain/did.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { evaluateVerdict } from '../verify/evaluate-verdict.ts'
import type { Verifier } from '../verify/verifier.ts'
import type { CredentialStore, StoredCredential } from './credential-store.ts'
import { isStorable } from './storable.ts'

/** An attached credential, with what is to be said of it now. */
export interface AttachedCredential extends Omit<StoredCredential, 'verdict' | 'agentPda'> {
  readonly structurallyValid: boolean
  readonly proofVerified: boolean
}

export interface CredentialList {
  readonly pda: string
  readonly total: number
  readonly credentials: readonly AttachedCredential[]
}

export interface CredentialFilter {
  /** A type, or a kind without `Credential`, in any case. */
  readonly type?: string | null
  /** Structurally valid, and so within its dates, or not. */
  readonly active?: boolean | null
}

interface Moment {
  readonly now: number
  readonly trust: TrustRegistry
  /** `rulesMark` of the verifier. */
  readonly rules: string
}

interface Means {
  readonly store: CredentialStore
  readonly verifier: Pick<Verifier, 'verify'>
}

const MAX_TYPE_LENGTH = 128
/** Signatures checked by one reader, when issuers have become trusted or the rules have changed; the others are said to be not verified until somebody asks again. */
const MAX_VERIFICATIONS = 20

/** Checks a filter; throws INVALID_TEXT or INVALID_BOOLEAN. */
export function credentialFilter({ type, active }: CredentialFilter): CredentialFilter {
  return {
    type: optional(textParameter(MAX_TYPE_LENGTH), 'type', type),
    active: optional(booleanParameter, 'active', active),
  }
}

/** What these agents have attached that passes the filter, newest first, told for this moment. */
export async function listCredentials(
  agents: readonly { readonly pda: string; readonly owner: string }[],
  filter: CredentialFilter,
  moment: Moment,
  means: Means,
): Promise<Map<string, CredentialList>> {
  const owners = new Map(agents.map(({ pda, owner }) => [pda, owner]))
  const stored = await means.store.find([...owners.keys()])
  let left = MAX_VERIFICATIONS
  const told = new Map<string, AttachedCredential[]>(agents.map(({ pda }) => [pda, []]))
  for (const credential of stored) {
    if (!isOfType(credential.verdict.types, filter.type)) continue
    let said = evaluateVerdict(credential.verdict, moment)
    if (said.needsVerification && left > 0) {
      left -= 1
      const verdict = await verifyAgain(credential, owners.get(credential.agentPda) ?? '', moment, means)
      if (verdict !== null) said = evaluateVerdict(verdict, moment)
    }
    const { structurallyValid, proofVerified } = said
    if (typeof filter.active === 'boolean' && filter.active !== structurallyValid) continue
    const { verdict: _, agentPda, ...rest } = credential
    told.get(agentPda)?.push({ ...rest, structurallyValid, proofVerified })
  }
  return new Map(
    Array.from(told, ([pda, credentials]) => [pda, { pda, total: credentials.length, credentials }]),
  )
}

/** The signature of a credential whose issuer was not trusted, or had other keys, when it was attached; or of one that was verified by other rules. */
async function verifyAgain(
  { agentPda, vcHash, verdict: before }: StoredCredential,
  owner: string,
  moment: Moment,
  { store, verifier }: Means,
): Promise<StoredCredential['verdict'] | null> {
  const document = await store.getDocument(agentPda, vcHash)
  if (document === null) return null
  try {
    const result = await verifier.verify(Buffer.from(document), { ...moment, agentDid: ownerDid(owner) })
    const { verdict } = result
    const isNews = verdict.signaturesValid !== null || verdict.rulesVersion !== before.rulesVersion
    if (isNews && isStorable(result)) await store.setVerdict(agentPda, vcHash, verdict)
    return verdict
  } catch (error) {
    if (isDomainError(error, 'VERIFIER_BUSY')) return null
    throw error
  }
}

function isOfType(types: readonly string[], wanted: string | null | undefined): boolean {
  if (wanted === undefined || wanted === null) return true
  const name = wanted.toLowerCase()
  return types.some((type) => [name, `${name}credential`].includes(type.toLowerCase()))
}
