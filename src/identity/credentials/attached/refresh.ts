import { isDomainError } from '../../../domain/errors.ts'
import { ownerDid } from '../../../domain/did.ts'
import { fetchHosted, type HostedDependencies } from '../../../platform/net/hosted/fetch-hosted.ts'
import type { TrustRegistry } from '../trusted-issuers/issuer.ts'
import { LIMITS } from '../verify/limits.ts'
import type { Verifier } from '../verify/verifier.ts'
import { type CredentialStore, MAX_CREDENTIALS } from './credential-store.ts'
import { isStorable } from './storable.ts'

export interface RefreshDependencies {
  readonly store: CredentialStore
  readonly verifier: Pick<Verifier, 'verify'>
  readonly trust: () => Promise<TrustRegistry>
  readonly hosted: HostedDependencies
  readonly now: () => number
}

export interface RefreshedAgent {
  readonly pda: string
  readonly owner: string
  /** URLs of credentials in the agent's card; null where there is no card that matches. */
  readonly listed: readonly string[] | null
}

/** Longer than that no agent's hosts are waited for, ms. */
const DEADLINE_MS = 60_000

/**
 * Fetches again what is attached to an agent, and what its card lists. What a URL now holds takes the place of what it held, if it is a
 * credential of the agent; what cannot be had, or is none, changes nothing.
 */
export async function refreshCredentials(
  { pda, owner, listed }: RefreshedAgent,
  { store, verifier, trust, hosted, now }: RefreshDependencies,
): Promise<void> {
  if (listed !== null) await store.removeUnlisted(pda, listed)
  const sources = new Map(
    (await store.find([pda])).map(({ credentialUrl, source }) => [credentialUrl, source]),
  )
  const deadline = now() + DEADLINE_MS
  for (const url of [...new Set([...(listed ?? []), ...sources.keys()])].slice(0, 2 * MAX_CREDENTIALS)) {
    if (now() > deadline || hosted.signal?.aborted === true) return
    if (!/^(https?|ipfs|ar):/i.test(url)) continue
    const fetched = await fetchHosted(url, LIMITS.bytes, hosted)
    if (fetched.kind === 'failed') continue
    try {
      const about = { agentDid: ownerDid(owner), now: now(), trust: await trust() }
      const result = await verifier.verify(fetched.body, about)
      if (!result.structurallyValid || !isStorable(result)) continue
      await store.attach({
        agentPda: pda,
        credentialUrl: url,
        source: sources.get(url) ?? 'card',
        result,
        document: fetched.body,
        now: now(),
      })
    } catch (error) {
      // Tomorrow is another day.
      if (!isDomainError(error, 'VERIFIER_BUSY')) throw error
    }
  }
}
