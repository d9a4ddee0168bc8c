import type { CredentialState } from '../../../domain/credential-verdict.ts'
import { ownerDid } from '../../../domain/did.ts'
import { isDomainError } from '../../../domain/errors.ts'
import { booleanParameter, optional, textParameter } from '../../../domain/parameters.ts'
import { evaluateVerdict, type EvaluationContext } from '../verify/evaluate-verdict.ts'
import type { Verifier } from '../verify/verifier.ts'
import { type CredentialStore, hasNul, type StoredCredential } from './credential-store.ts'

/** An attached credential with its current validity. */
export interface AttachedCredential extends Omit<StoredCredential, 'verdict' | 'status'> {
  readonly structurallyValid: boolean
  readonly proofVerified: boolean
  /** What the issuer's status lists said. Null if the credential has no status. */
  readonly status: CredentialState | null
}

export interface CredentialList {
  readonly pda: string
  readonly total: number
  readonly credentials: readonly AttachedCredential[]
}

export interface CredentialFilter {
  /** A type, or a kind without `Credential`, in any case. */
  readonly type?: string | null
  /** Whether the credential is structurally valid now, and neither revoked nor suspended. */
  readonly active?: boolean | null
}

interface Dependencies {
  readonly store: CredentialStore
  readonly verifier: Pick<Verifier, 'verify'>
}

interface AgentKeys {
  readonly pda: string
  readonly owner: string
}

export const MAX_TYPE_LENGTH = 128
/** Documents that one request may verify again. Other proofs count as not verified until then. */
const MAX_VERIFICATIONS = 20

/** Checks a filter. Throws INVALID_TEXT or INVALID_BOOLEAN. */
export function parseFilter({ type, active }: CredentialFilter): CredentialFilter {
  return {
    type: optional(textParameter(MAX_TYPE_LENGTH), 'type', type),
    active: optional(booleanParameter, 'active', active),
  }
}

/** Lists the attached credentials of these agents that pass the filter, newest first. */
export async function listCredentials(
  agents: readonly AgentKeys[],
  filter: CredentialFilter,
  context: EvaluationContext,
  dependencies: Dependencies,
): Promise<Map<string, CredentialList>> {
  const owners = new Map(agents.map(({ pda, owner }) => [pda, owner]))
  const lists = new Map<string, AttachedCredential[]>(agents.map(({ pda }) => [pda, []]))
  let verificationsLeft = MAX_VERIFICATIONS
  for (const credential of await dependencies.store.find([...owners.keys()])) {
    const { verdict, status, ...shown } = credential
    const { agentPda } = shown
    if (!isOfType(verdict.types, filter.type)) continue
    let evaluated = evaluateVerdict(verdict, status, context)
    if (evaluated.needsVerification && verificationsLeft > 0) {
      verificationsLeft -= 1
      const agentDid = ownerDid(owners.get(agentPda) ?? '')
      const newVerdict = await verifyAgain(credential, agentDid, context, dependencies)
      if (newVerdict !== null) evaluated = evaluateVerdict(newVerdict, status, context)
    }
    const { structurallyValid, proofVerified, active, state } = evaluated
    if (typeof filter.active === 'boolean' && filter.active !== active) continue
    lists.get(agentPda)?.push({ ...shown, structurallyValid, proofVerified, status: state })
  }
  return new Map(
    Array.from(lists, ([pda, credentials]) => [pda, { pda, total: credentials.length, credentials }]),
  )
}

/** Verifies a stored document with the current rules and keys. Null if that is not possible now. */
async function verifyAgain(
  { agentPda, vcHash, verdict: oldVerdict }: StoredCredential,
  agentDid: string,
  { now, trust }: EvaluationContext,
  { store, verifier }: Dependencies,
): Promise<StoredCredential['verdict'] | null> {
  const document = await store.getDocument(agentPda, vcHash)
  if (document === null) return null
  try {
    // Reads never fetch. The refresh looks up the status.
    const about = { now, trust, agentDid, checksStatus: false }
    const result = await verifier.verify(Buffer.from(document), about)
    const { verdict } = result
    const hasNews = verdict.signaturesValid !== null || verdict.rulesVersion !== oldVerdict.rulesVersion
    if (hasNews && !hasNul(result)) await store.setVerdict(agentPda, vcHash, verdict)
    return verdict
  } catch (error) {
    if (isDomainError(error, 'VERIFIER_BUSY')) return null
    throw error
  }
}

function isOfType(types: readonly string[], filter: string | null | undefined): boolean {
  if (filter === undefined || filter === null) return true
  const name = filter.toLowerCase()
  return types.some((type) => [name, `${name}credential`].includes(type.toLowerCase()))
}
