import type { Pubkey } from '@agent-registry/solana'
import type { AgentReads } from '../../../registry/agents/agent-reads.ts'
import type { CredentialState } from '../../../domain/credential-verdict.ts'
import { ownerDid } from '../../../domain/did.ts'
import { DomainError, isDomainError } from '../../../domain/errors.ts'
import { booleanParameter, optional, textParameter } from '../../../domain/parameters.ts'
import { quoted } from '../../../domain/quoted.ts'
import { fetchHosted, type HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import { isObject } from '../../json.ts'
import { isDocumentUrl } from '../../sites.ts'
import { evaluateVerdict, type EvaluationContext } from '../verify/evaluate-verdict.ts'
import { MAX_CREDENTIAL_BYTES } from '../verify/parse-credential.ts'
import type { VerificationResult } from '../verify/result.ts'
import { type CredentialParts, hasNul, type StoredCredential, verifyAndAttach } from './credential-store.ts'

export type Credentials = ReturnType<typeof createCredentials>

/** `rulesVersion`: `getRulesVersion` of the verifier. */
export function createCredentials(
  agents: Pick<AgentReads, 'get'>,
  rulesVersion: string,
  { store, verifier, trust, hosted, now }: CredentialParts,
) {
  const context = async () => ({ now: now(), trust: await trust(), rulesVersion })

  /** Returns the lists of several agents, by pda. */
  const listForAgents = async (
    owners: readonly AgentKeys[],
    filter: CredentialFilter,
  ): Promise<Map<string, CredentialList>> =>
    listCredentials(owners, filter, await context(), { store, verifier })

  return {
    listForAgents,
    /** Throws INVALID_PUBKEY and AGENT_NOT_FOUND. */
    list: async (pda: string, input: CredentialFilter): Promise<CredentialList> => {
      const filter = parseFilter(input)
      const agent = await agents.get(pda)
      return (await listForAgents([agent], filter)).get(agent.pda)!
    },
    /**
     * Verifies a credential of the wallet's agent. A hosted one that is structurally valid is
     * attached. Throws INVALID_PUBKEY, AGENT_NOT_FOUND, NOT_AGENT_OWNER, VERIFIER_BUSY, and the
     * errors of `parseSubmission` and `fetchCredential`.
     */
    verify: async (wallet: Pubkey, pda: string, input: CredentialSubmission): Promise<VerificationResult> => {
      const agent = await agents.get(pda)
      if (agent.owner !== wallet) throw new DomainError('NOT_AGENT_OWNER')
      const { url, credential } = parseSubmission(input)
      if (url === undefined) {
        const options = { ...(await context()), agentDid: ownerDid(agent.owner) }
        return verifier.verify(credential, options)
      }
      const document = await fetchCredential(url, hosted)
      const hostedCredential = { agent, url, source: 'owner', document } as const
      return verifyAndAttach(hostedCredential, await context(), { store, verifier })
    },
  }
}

/** A credential to verify. Exactly one member must be set. */
interface CredentialSubmission {
  /** https, ipfs or ar URL of a hosted credential. */
  readonly credentialUrl?: string | null
  /** A W3C Verifiable Credential. */
  readonly credential?: unknown
}

export const MAX_URL_LENGTH = 2_048

/** Throws CREDENTIAL_SOURCE unless exactly one member is set, INVALID_TYPE and INVALID_TEXT. */
function parseSubmission({ credentialUrl, credential }: CredentialSubmission): {
  url?: string
  credential?: object
} {
  const hasUrl = credentialUrl !== undefined && credentialUrl !== null
  const hasCredential = credential !== undefined && credential !== null
  if (hasUrl === hasCredential) throw new DomainError('CREDENTIAL_SOURCE')
  if (hasUrl) return { url: readUrl('credentialUrl', credentialUrl) }
  if (isObject(credential)) return { credential }
  const details = { parameter: 'credential', expected: 'an object', value: quoted(credential) }
  throw new DomainError('INVALID_TYPE', details)
}

/** Throws CREDENTIAL_NOT_FETCHED with a reason that does not reveal addresses. */
async function fetchCredential(url: string, hosted: HostedDependencies): Promise<Uint8Array> {
  const fetched = await fetchHosted(url, MAX_CREDENTIAL_BYTES, hosted)
  if (fetched.kind === 'fetched') return fetched.body
  throw new DomainError('CREDENTIAL_NOT_FETCHED', {}, { addition: { message: fetched.reason } })
}

function readUrl(parameter: string, value: unknown): string {
  const text = textParameter(MAX_URL_LENGTH)(parameter, value)
  if (isDocumentUrl(text)) return text
  const problem = 'must be a URL with scheme https, ipfs or ar'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(text) })
}

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

type ListDependencies = Pick<CredentialParts, 'store' | 'verifier'>

interface AgentKeys {
  readonly pda: string
  readonly owner: string
}

export const MAX_TYPE_LENGTH = 128
/** Documents that one request may verify again. Other proofs count as not verified until then. */
const MAX_VERIFICATIONS = 20

/** Checks a filter. Throws INVALID_TEXT or INVALID_BOOLEAN. */
function parseFilter({ type, active }: CredentialFilter): CredentialFilter {
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
  dependencies: ListDependencies,
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
  { store, verifier }: ListDependencies,
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
