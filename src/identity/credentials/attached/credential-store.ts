import { type Kysely, sql } from 'kysely'
import { columnsOf, type RowOf } from '../../../db/columns-of.ts'
import type { Database } from '../../../db/database.ts'
import { AgentCredential } from '../../../db/entities/credentials.ts'
import type { VerificationResult } from '../verify/result.ts'
import type { CredentialSource, Verdict } from '../../../domain/credential-verdict.ts'
import { ownerDid } from '../../../domain/did.ts'
import type { Verifier, VerifyOptions } from '../verify/verifier.ts'

/** An attached credential without its document. Time and trust are applied when it is read. */
export type StoredCredential = Omit<RowOf<typeof AgentCredential>, 'document'>

const credentialColumns = columnsOf(AgentCredential, ['document'])

export interface NewCredential {
  readonly agentPda: string
  readonly credentialUrl: string
  readonly source: CredentialSource
  readonly result: VerificationResult
  readonly document: Uint8Array
  readonly now: number
}

/** The most credentials of one agent. The oldest are removed first. */
export const MAX_CREDENTIALS = 50

/** Reads and writes the table agent_credentials. */
export interface CredentialStore {
  /** The credentials of these agents, newest first. */
  find(agentPdas: readonly string[]): Promise<StoredCredential[]>
  getDocument(agentPda: string, vcHash: string): Promise<string | null>
  /** Replaces the credential that the URL had before. */
  attach(credential: NewCredential): Promise<void>
  setVerdict(agentPda: string, vcHash: string, verdict: Verdict): Promise<void>
  /** Removes credentials that the agent card no longer lists. */
  removeUnlisted(agentPda: string, urls: readonly string[]): Promise<void>
}

export function createCredentialStore(kysely: Kysely<Database>): CredentialStore {
  return {
    find: async (agentPdas) => {
      const { rows } = await sql<StoredCredential>`
        select ${credentialColumns} from agent_credentials where agent_pda = any(${agentPdas}::text[])
        order by agent_pda, indexed_at desc, vc_hash`.execute(kysely)
      return rows
    },
    getDocument: async (agentPda, vcHash) => {
      const row = await kysely
        .selectFrom('agent_credentials')
        .select('document')
        .where('agent_pda', '=', agentPda)
        .where('vc_hash', '=', vcHash)
        .executeTakeFirst()
      return row?.document ?? null
    },
    attach: (credential) => kysely.transaction().execute((db) => attach(db, credential)),
    setVerdict: async (agentPda, vcHash, verdict) => {
      await sql`
        update agent_credentials set verdict = ${JSON.stringify(verdict)}::jsonb
        where agent_pda = ${agentPda} and vc_hash = ${vcHash}`.execute(kysely)
    },
    removeUnlisted: async (agentPda, urls) => {
      await sql`
        delete from agent_credentials
        where agent_pda = ${agentPda} and source = 'card' and credential_url <> all(${urls}::text[])`.execute(
        kysely,
      )
    },
  }
}

/** The status with the newest list stays: another process may still have an older list. */
async function attach(db: Kysely<Database>, credential: NewCredential): Promise<void> {
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
      source = case when c.source = 'owner' then c.source else excluded.source end`.execute(db)
  await sql`
    delete from agent_credentials
    where agent_pda = ${agentPda} and credential_url = ${credentialUrl} and vc_hash <> ${vcHash}`.execute(db)
  await sql`
    delete from agent_credentials where agent_pda = ${agentPda} and vc_hash in (
      select vc_hash from agent_credentials where agent_pda = ${agentPda}
      order by indexed_at desc, vc_hash offset ${MAX_CREDENTIALS})`.execute(db)
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
  { store, verifier }: { readonly store: CredentialStore; readonly verifier: Pick<Verifier, 'verify'> },
): Promise<VerificationResult> {
  const result = await verifier.verify(document, { ...context, agentDid: ownerDid(agent.owner) })
  if (result.structurallyValid && !hasNul(result)) {
    await store.attach({
      agentPda: agent.pda,
      credentialUrl: url,
      source,
      result,
      document,
      now: context.now,
    })
  }
  return result
}

/** True if PostgreSQL cannot store a result: text and jsonb cannot contain NUL, but JSON can. */
export function hasNul({ type, issuer, verdict }: VerificationResult): boolean {
  return JSON.stringify([type, issuer, verdict]).includes('\\u0000')
}
