import type { EntityManager } from '../../db/orm-types.ts'
import { ownerDid } from '../../domain/did.ts'
import { createTrustedIssuers } from '../../identity/credentials/trusted-issuers.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LocalnetKeys } from '../../platform/keys.ts'

const TYPES = ['SecurityAuditCredential', 'IdentityCredential', 'ComplianceCredential']

/**
 * Trusts the issuer of the sample credentials. An existing entry stays as it is, so the operator
 * can disable it. A removed one is added again.
 */
export async function trustSampleAuditor(
  { sampleAuditor }: LocalnetKeys,
  { em, clock }: { em: EntityManager; clock: Clock },
): Promise<void> {
  const did = ownerDid(sampleAuditor.publicKey.toBase58())
  const issuers = createTrustedIssuers({ em, clock })
  if ((await issuers.current()).find(did) !== undefined) return
  await issuers.put({ did, allowedTypes: TYPES, keys: [], notBefore: null, notAfter: null })
}
