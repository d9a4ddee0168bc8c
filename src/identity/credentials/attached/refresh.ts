import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { milliseconds } from '../../../db/columns-of.ts'
import { AgentCardCheck } from '../../../db/entities/agent-cards.ts'
import type { EntityManager } from '../../../db/orm-types.ts'
import type { CredentialSource } from '../../../domain/credential-verdict.ts'
import { isDomainError } from '../../../domain/errors.ts'
import { fetchHosted } from '../../../platform/net/hosted/fetch-hosted.ts'
import { isDocumentUrl, type SiteSlots } from '../../sites.ts'
import { MAX_CREDENTIAL_BYTES } from '../verify/parse-credential.ts'
import { type CredentialParts, MAX_CREDENTIALS, verifyAndAttach } from './credential-store.ts'

/** An agent whose credentials this process refreshes until its lease expires. */
export interface DueAgent extends RefreshedAgent {
  readonly token: string
}

/** Claims up to `limit` agents whose credentials are due. */
export async function claimRefreshes(
  kysely: Kysely<Database>,
  limit: number,
  leaseMs: number,
): Promise<readonly DueAgent[]> {
  const { rows } = await sql<DueAgent>`
    with due as (
      select agent_pda from agent_card_checks where credentials_due_at <= now()
      order by credentials_due_at limit ${limit} for update skip locked
    )
    update agent_card_checks c set
      credentials_token = ${randomUUID()}, credentials_claimed_at = now(),
      credentials_due_at = now() + ${milliseconds(leaseMs)}
    from due, agents a where c.agent_pda = due.agent_pda and a.pda = c.agent_pda
    returning c.agent_pda as pda, a.owner, c.credentials_token as token,
      case when c.state = 'matched' then coalesce(c.content -> 'credentials', '[]') end as listed`.execute(
    kysely,
  )
  return rows
}

/** The credentials are due again when the next check requests it. */
export async function finishRefresh(em: EntityManager, { pda, token }: DueAgent): Promise<void> {
  const refreshed = { agentPda: pda, credentialsToken: token }
  await em.fork().nativeUpdate(AgentCardCheck, refreshed, { credentialsDueAt: null, credentialsToken: null })
}

export interface RefreshDependencies extends CredentialParts {
  readonly slots: SiteSlots
  /** Time after which no further document is fetched, in milliseconds. */
  readonly limitMs: number
}

interface RefreshedAgent {
  readonly pda: string
  readonly owner: string
  /** Credential URLs in the agent's card. Null if there is no matching card. */
  readonly listed: readonly string[] | null
}

/**
 * Looks up the status of the credentials that are attached to an agent. Then fetches these and
 * those in its card: a valid credential replaces the one that its URL had before. Failures change
 * nothing.
 */
export async function refreshCredentials(
  agent: RefreshedAgent,
  { store, verifier, trust, hosted, slots, now, limitMs }: RefreshDependencies,
): Promise<void> {
  const { pda, listed } = agent
  if (listed !== null) await store.removeUnlisted(pda, listed)
  const attached = await store.find([pda])
  const attach = async (url: string, source: CredentialSource, document: Uint8Array): Promise<void> => {
    const context = { now: now(), trust: await trust(), signal: hosted.signal }
    try {
      await verifyAndAttach({ agent, url, source, document }, context, { store, verifier })
    } catch (error) {
      // A busy verifier is not a failure: the next refresh tries again.
      if (!isDomainError(error, 'VERIFIER_BUSY')) throw error
    }
  }
  const sources = new Map(attached.map(({ credentialUrl, source }) => [credentialUrl, source]))
  const urls = new Set([...(listed ?? []), ...sources.keys()])
  const deadline = now() + limitMs
  const isOver = (): boolean => now() > deadline || hosted.signal?.aborted === true
  // First, and from the stored documents: an owner whose credential was revoked could stop serving
  // it.
  for (const { vcHash, credentialUrl, source, verdict } of attached) {
    if (isOver()) return
    const document = verdict.hasStatus ? await store.getDocument(pda, vcHash) : null
    if (document !== null) await attach(credentialUrl, source, Buffer.from(document))
  }
  for (const url of [...urls].slice(0, 2 * MAX_CREDENTIALS)) {
    if (isOver()) return
    if (!isDocumentUrl(url)) continue
    // The wait for a slot can be longer than the time that is left.
    const fetched = await slots(url, async () =>
      isOver() ? null : fetchHosted(url, MAX_CREDENTIAL_BYTES, hosted),
    )
    if (fetched === null || fetched.kind === 'failed') continue
    await attach(url, sources.get(url) ?? 'card', fetched.body)
  }
}
