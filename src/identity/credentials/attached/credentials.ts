import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { AgentReads } from '../../../agents/agent-reads.ts'
import type { Database } from '../../../db/database.ts'
import { ownerDid } from '../../../domain/did.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import type { VerificationResult } from '../verify/result.ts'
import type { Verifier } from '../verify/verifier.ts'
import {
  type CredentialFilter,
  type CredentialList,
  listCredentials,
  parseFilter,
} from './credential-list.ts'
import { createCredentialStore } from './credential-store.ts'
import { type CredentialSubmission, fetchCredential, parseSubmission } from './submission.ts'
import { verifyAndAttach } from './verify-and-attach.ts'

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
  readonly kysely: Kysely<Database>
  readonly clock: Clock
  readonly verifier: Pick<Verifier, 'verify'>
  /** `getRulesVersion` of the verifier. */
  readonly rulesVersion: string
  readonly trust: () => Promise<TrustRegistry>
  readonly hosted: HostedDependencies
}

export function createCredentials(dependencies: CredentialsDependencies): Credentials {
  const { agents, kysely, clock, verifier, rulesVersion, trust, hosted } = dependencies
  const store = createCredentialStore(kysely)
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
