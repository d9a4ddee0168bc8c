import type { CredentialSource } from '../../../domain/credential-verdict.ts'
import { ownerDid } from '../../../domain/did.ts'
import type { VerificationResult } from '../verify/result.ts'
import type { Verifier, VerifyOptions } from '../verify/verifier.ts'
import type { CredentialStore } from './credential-store.ts'

export interface HostedCredential {
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
