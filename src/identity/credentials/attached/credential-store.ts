import { sql } from 'kysely'
import { columnsOf, type RowOf } from '../../../db/columns-of.ts'
import { AgentCredential } from '../../../db/entities/credentials.ts'
import type { EntityManager } from '../../../db/orm-types.ts'
import type { VerificationResult } from '../verify/result.ts'
import type { CredentialSource, Verdict } from '../../../domain/credential-verdict.ts'
import { ownerDid } from '../../../domain/did.ts'
import type { Verifier, VerifyOptions } from '../verify/verifier.ts'
import type { HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import type { TrustRegistry } from '../trusted-issuers.ts'

/** An attached credential without its document. Time and trust are applied when it is read. */
export type StoredCredential = Omit<RowOf<typeof AgentCredential>, 'document'>

const credentialColumns = columnsOf(AgentCredential, ['document'])

interface NewCredential {
  readonly agentPda: string
  readonly credentialUrl: string
  readonly source: CredentialSource
  readonly result: VerificationResult
  readonly document: Uint8Array
  readonly now: number
}

/** With what the credentials of agents are read and verified. */
export interface CredentialParts {
  readonly store: CredentialStore
  readonly verifier: Pick<Verifier, 'verify'>
  readonly trust: () => Promise<TrustRegistry>
  readonly hosted: HostedDependencies
  readonly now: () => number
}

/** The most credentials of one agent. The oldest are removed first. */
export const MAX_CREDENTIALS = 50

export type CredentialStore = ReturnType<typeof createCredentialStore>

/** Reads and writes the table agent_credentials. */
export function createCredentialStore(em: EntityManager) {
  const kysely = em.getKysely()
  return {
    /** Newest first. The EntityManager takes four times as long for a page of agents. */
    find: async (agentPdas: readonly string[]): Promise<StoredCredential[]> => {
      const { rows } = await sql<StoredCredential>`
        select ${credentialColumns} from agent_credentials where agent_pda = any(${agentPdas}::text[])
        order by agent_pda, indexed_at desc, vc_hash`.execute(kysely)
      return rows
    },
    getDocument: async (agentPda: string, vcHash: string): Promise<string | null> => {
      const fields = ['document'] as const
      const found = await em.fork().findOne(AgentCredential, { agentPda, vcHash }, { fields })
      return found?.document ?? null
    },
    /** Replaces the credential that the URL had before. */
    attach: (credential: NewCredential): Promise<void> =>
      em.fork().transactional((trx) => attach(trx, credential)),
    setVerdict: async (agentPda: string, vcHash: string, verdict: Verdict): Promise<void> => {
      await em.fork().nativeUpdate(AgentCredential, { agentPda, vcHash }, { verdict })
    },
    /** Removes credentials that the agent card no longer lists. */
    removeUnlisted: async (agentPda: string, urls: readonly string[]): Promise<void> => {
      const credentialUrl = { $nin: [...urls] }
      await em.fork().nativeDelete(AgentCredential, { agentPda, source: 'card', credentialUrl })
    },
  }
}

/** The status with the newest list stays: another process may still have an older list. */
async function attach(em: EntityManager, credential: NewCredential): Promise<void> {
  const { agentPda, credentialUrl, source, result, document, now } = credential
  const { vcHash, type, issuer, validFrom, validUntil, verdict, status } = result
  await sql`
    insert into agent_credentials as c (
      agent_pda, vc_hash, credential_url, source, type, issuer, valid_from, valid_until, verdict, status,
      document, indexed_at)
    values (
      ${agentPda}, ${vcHash}, ${credentialUrl}, ${source}, ${type}, ${issuer}, ${validFrom}, ${validUntil},
      ${JSON.stringify(verdict)}::jsonb, ${status === null ? null : JSON.stringify(status)}::jsonb,
      ${Buffer.from(document).toString()}, ${new Date(now)})
    on conflict (agent_pda, vc_hash) do update set
      credential_url = excluded.credential_url, verdict = excluded.verdict, document = excluded.document,
      status = case
        when excluded.status is null or excluded.status->>'checkedAt' < c.status->>'checkedAt' then c.status
        else excluded.status end,
      source = case when c.source = 'owner' then c.source else excluded.source end`.execute(em.getKysely())
  await em.nativeDelete(AgentCredential, { agentPda, credentialUrl, vcHash: { $ne: vcHash } })
  const orderBy = { indexedAt: 'desc', vcHash: 'asc' } as const
  em.remove(await em.find(AgentCredential, { agentPda }, { orderBy, offset: MAX_CREDENTIALS }))
}

interface HostedCredential {
  readonly agent: { readonly pda: string; readonly owner: string }
  readonly url: string
  readonly source: CredentialSource
  readonly document: Uint8Array
}

/** Verifies a hosted credential and attaches it if structurally valid. Throws VERIFIER_BUSY. */
export async function verifyAndAttach(
  { agent, url, source, document }: HostedCredential,
  context: Omit<VerifyOptions, 'agentDid'>,
  { store, verifier }: Pick<CredentialParts, 'store' | 'verifier'>,
): Promise<VerificationResult> {
  const result = await verifier.verify(document, { ...context, agentDid: ownerDid(agent.owner) })
  const credential = { agentPda: agent.pda, credentialUrl: url, source, result, document, now: context.now }
  if (result.structurallyValid && !hasNul(result)) await store.attach(credential)
  return result
}

/** True if PostgreSQL cannot store a result: text and jsonb cannot contain NUL, but JSON can. */
export function hasNul({ type, issuer, verdict }: VerificationResult): boolean {
  return JSON.stringify([type, issuer, verdict]).includes('\\u0000')
}
