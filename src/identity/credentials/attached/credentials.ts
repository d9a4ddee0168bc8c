import type { Pubkey } from '@agent-registry/solana'
import type { AgentReads } from '../../../registry/agents/agent-reads.ts'
import type { EntityManager } from '../../../db/orm-types.ts'
import { ownerDid } from '../../../domain/did.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import { fetchHosted, type HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import type { TrustRegistry } from '../trusted-issuers.ts'
import type { VerificationResult } from '../verify/result.ts'
import type { Verifier } from '../verify/verifier.ts'
import {
  type CredentialFilter,
  type CredentialList,
  listCredentials,
  parseFilter,
} from './credential-list.ts'
import { createCredentialStore, verifyAndAttach } from './credential-store.ts'
import { textParameter } from '../../../domain/parameters.ts'
import { quoted } from '../../../domain/quoted.ts'
import { MAX_CREDENTIAL_BYTES } from '../verify/parse-credential.ts'

export interface Credentials {
  /** Throws INVALID_PUBKEY and AGENT_NOT_FOUND. */
  list(pda: string, filter: CredentialFilter): Promise<CredentialList>
  /** Returns the lists of several agents, by pda. */
  listForAgents(
    agents: readonly { readonly pda: string; readonly owner: string }[],
    filter: CredentialFilter,
  ): Promise<Map<string, CredentialList>>
  /**
   * Verifies a credential of the wallet's agent. A hosted one that is structurally valid is
   * attached. Throws INVALID_PUBKEY, AGENT_NOT_FOUND, NOT_AGENT_OWNER, VERIFIER_BUSY, and the
   * errors of `parseSubmission` and `fetchCredential`.
   */
  verify(wallet: Pubkey, pda: string, submission: CredentialSubmission): Promise<VerificationResult>
}

export interface CredentialsDependencies {
  readonly agents: Pick<AgentReads, 'get'>
  readonly em: EntityManager
  readonly clock: Clock
  readonly verifier: Pick<Verifier, 'verify'>
  /** `getRulesVersion` of the verifier. */
  readonly rulesVersion: string
  readonly trust: () => Promise<TrustRegistry>
  readonly hosted: HostedDependencies
}

export function createCredentials(dependencies: CredentialsDependencies): Credentials {
  const { agents, em, clock, verifier, rulesVersion, trust, hosted } = dependencies
  const store = createCredentialStore(em)
  const context = async () => ({ now: clock.now(), trust: await trust(), rulesVersion })

  const listForAgents: Credentials['listForAgents'] = async (owners, filter) =>
    listCredentials(owners, filter, await context(), { store, verifier })

  return {
    listForAgents,
    list: async (pda, input) => {
      const filter = parseFilter(input)
      const agent = await agents.get(pda)
      return (await listForAgents([agent], filter)).get(agent.pda)!
    },
    verify: async (wallet, pda, input) => {
      const agent = await agents.get(pda)
      if (agent.owner !== wallet) throw new DomainError('NOT_AGENT_OWNER')
      const submission = parseSubmission(input)
      if (submission.kind === 'inline') {
        const options = { ...(await context()), agentDid: ownerDid(agent.owner) }
        return verifier.verify(submission.credential, options)
      }
      const { url } = submission
      const document = await fetchCredential(url, hosted)
      const credential = { agent, url, source: 'owner', document } as const
      return verifyAndAttach(credential, await context(), { store, verifier })
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

type ParsedSubmission =
  | { readonly kind: 'inline'; readonly credential: object }
  | { readonly kind: 'hosted'; readonly url: string }

export const MAX_URL_LENGTH = 2_048
const SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'ipfs:', 'ar:'])

/** Throws CREDENTIAL_SOURCE unless exactly one member is set, INVALID_TYPE and INVALID_TEXT. */
function parseSubmission({ credentialUrl, credential }: CredentialSubmission): ParsedSubmission {
  const hasUrl = credentialUrl !== undefined && credentialUrl !== null
  const hasCredential = credential !== undefined && credential !== null
  if (hasUrl === hasCredential) throw new DomainError('CREDENTIAL_SOURCE')
  if (hasUrl) return { kind: 'hosted', url: readUrl('credentialUrl', credentialUrl) }
  if (typeof credential !== 'object' || Array.isArray(credential)) {
    const details = { parameter: 'credential', expected: 'an object', value: quoted(credential) }
    throw new DomainError('INVALID_TYPE', details)
  }
  return { kind: 'inline', credential: credential as object }
}

/** Throws CREDENTIAL_NOT_FETCHED with a reason that does not reveal addresses. */
async function fetchCredential(url: string, hosted: HostedDependencies): Promise<Uint8Array> {
  const fetched = await fetchHosted(url, MAX_CREDENTIAL_BYTES, hosted)
  if (fetched.kind === 'fetched') return fetched.body
  throw new DomainError('CREDENTIAL_NOT_FETCHED', {}, { addition: { message: fetched.reason } })
}

function readUrl(parameter: string, value: unknown): string {
  const text = textParameter(MAX_URL_LENGTH)(parameter, value)
  if (SCHEMES.has(URL.parse(text)?.protocol ?? '')) return text
  const problem = 'must be a URL with scheme https, ipfs or ar'
  throw new DomainError('INVALID_TEXT', { parameter, problem, value: quoted(text) })
}
