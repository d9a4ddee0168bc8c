import { isDomainError } from '../../../domain/errors.ts'
import { fetchHosted, type HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import type { SiteSlots } from '../../site-slots.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { MAX_CREDENTIAL_BYTES } from '../verify/parse-credential.ts'
import type { Verifier } from '../verify/verifier.ts'
import { type CredentialStore, MAX_CREDENTIALS } from './credential-store.ts'
import { verifyAndAttach } from './verify-and-attach.ts'

export interface RefreshDependencies {
  readonly store: CredentialStore
  readonly verifier: Pick<Verifier, 'verify'>
  readonly trust: () => Promise<TrustRegistry>
  readonly hosted: HostedDependencies
  readonly slots: SiteSlots
  readonly now: () => number
  /** Time after which no further document is fetched, in milliseconds. */
  readonly limitMs: number
}

export interface RefreshedAgent {
  readonly pda: string
  readonly owner: string
  /** Credential URLs in the agent's card. Null if there is no matching card. */
  readonly listed: readonly string[] | null
}

/**
 * Fetches the credentials that are attached to an agent or listed in its card. A valid credential
 * replaces the one that its URL had before. Failures change nothing.
 */
export async function refreshCredentials(
  agent: RefreshedAgent,
  { store, verifier, trust, hosted, slots, now, limitMs }: RefreshDependencies,
): Promise<void> {
  const { pda, listed } = agent
  if (listed !== null) await store.removeUnlisted(pda, listed)
  const attached = await store.find([pda])
  const sources = new Map(attached.map(({ credentialUrl, source }) => [credentialUrl, source]))
  const urls = new Set([...(listed ?? []), ...sources.keys()])
  const deadline = now() + limitMs
  const isOver = (): boolean => now() > deadline || hosted.signal?.aborted === true
  for (const url of [...urls].slice(0, 2 * MAX_CREDENTIALS)) {
    if (isOver()) return
    if (!/^(https?|ipfs|ar):/i.test(url)) continue
    // A slot can become free too late.
    const fetched = await slots(url, async () =>
      isOver() ? null : fetchHosted(url, MAX_CREDENTIAL_BYTES, hosted),
    )
    if (fetched === null || fetched.kind === 'failed') continue
    const credential = { agent, url, source: sources.get(url) ?? 'card', document: fetched.body }
    try {
      await verifyAndAttach(credential, { now: now(), trust: await trust() }, { store, verifier })
    } catch (error) {
      // A busy verifier is not a failure: the next refresh tries again.
      if (!isDomainError(error, 'VERIFIER_BUSY')) throw error
    }
  }
}
