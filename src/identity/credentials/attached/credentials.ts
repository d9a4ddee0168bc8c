import type { Kysely } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import { createAgentReads } from '../../../agents/agent-reads.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../db/database.ts'
import { DomainError } from '../../../domain/errors.ts'
import { ownerDid } from '../../../domain/did.ts'
import type { HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import type { VerificationResult } from '../verify/result.ts'
import type { Verifier } from '../verify/verifier.ts'
import {
  type CredentialFilter,
  credentialFilter,
  type CredentialList,
  listCredentials,
} from './credential-list.ts'
import { createCredentialStore } from './credential-store.ts'
import { isStorable } from './storable.ts'
import { type CredentialSubmission, fetchCredential, parseSubmission } from './verify-for-owner.ts'

export interface Credentials {
  /** Throws INVALID_PUBKEY and AGENT_NOT_FOUND. */
  list(pda: string, filter: CredentialFilter): Promise<CredentialList>
  /** The lists of several agents, by pda. */
  listForAgents(
    agents: readonly { readonly pda: string; readonly owner: string }[],
    filter: CredentialFilter,
  ): Promise<Map<string, CredentialList>>
  /**
   * Verifies a credential of the wallet's agent, and attaches it where it is hosted and structurally valid. Throws INVALID_PUBKEY,
   * AGENT_NOT_FOUND, NOT_AGENT_OWNER, those of `submittedCredential` and `fetchCredential`, and VERIFIER_BUSY.
   */
  verify(wallet: Pubkey, pda: string, submission: CredentialSubmission): Promise<VerificationResult>
}

export interface CredentialsDependencies {
  readonly kysely: Kysely<Database>
  readonly clock: Clock
  readonly verifier: Pick<Verifier, 'verify'>
  /** `rulesMark` of the verifier. */
  readonly rules: string
  readonly trust: () => Promise<TrustRegistry>
  readonly hosted: HostedDependencies
}

export function createCredentials(dependencies: CredentialsDependencies): Credentials {
  const { kysely, clock, verifier, rules, trust, hosted } = dependencies
  const store = createCredentialStore(kysely)
  const { get: getAgent } = createAgentReads(kysely)
  const moment = async () => ({ now: clock.now(), trust: await trust(), rules })

  const lists: Credentials['listForAgents'] = async (agents, filter) =>
    listCredentials(agents, filter, await moment(), { store, verifier })

  return {
    listForAgents: lists,
    list: async (pda, given) => {
      const filter = credentialFilter(given)
      const agent = await getAgent(pda)
      const told = await lists([agent], filter)
      return told.get(agent.pda) ?? { pda: agent.pda, total: 0, credentials: [] }
    },
    verify: async (wallet, pda, submission) => {
      const agent = await getAgent(pda)
      if (agent.owner !== wallet) throw new DomainError('NOT_AGENT_OWNER')
      const submitted = parseSubmission(submission)
      const document = submitted.kind === 'hosted' ? await fetchCredential(submitted.url, hosted) : null
      const raw = submitted.kind === 'hosted' ? document : submitted.credential
      const about = { ...(await moment()), agentDid: ownerDid(agent.owner) }
      const result = await verifier.verify(raw, about)
      if (
        submitted.kind === 'hosted' &&
        document !== null &&
        result.structurallyValid &&
        isStorable(result)
      ) {
        await store.attach({
          agentPda: agent.pda,
          credentialUrl: submitted.url,
          source: 'owner',
          result,
          document,
          now: about.now,
        })
      }
      return result
    },
  }
}
