import { defineEntity, p } from '@mikro-orm/core'
import type {
  CredentialSource,
  CredentialStatus,
  IssuerKey,
  Verdict,
} from '../../domain/credential-verdict.ts'
import { key, timestamp } from './columns.ts'

/** A credential attached to an agent. It outlives the agent's row, since it cannot be rebuilt. */
export const AgentCredential = defineEntity({
  name: 'AgentCredential',
  tableName: 'agent_credentials',
  properties: {
    agentPda: key().primary(),
    /** Hex SHA-256 of the JCS form with proof. */
    vcHash: key().primary(),
    credentialUrl: p.text(),
    source: p.text().$type<CredentialSource>(),
    type: p.text(),
    /** DID. */
    issuer: p.text(),
    validFrom: timestamp().strictNullable(),
    validUntil: timestamp().strictNullable(),
    /** The part that does not depend on the time or on the trusted issuers. */
    verdict: p.json<Verdict>(),
    /** The last status that was known. Null if the credential has none, or none is known yet. */
    status: p.json<CredentialStatus>().strictNullable(),
    /** As fetched; verified again when its issuer becomes trusted. */
    document: p.text(),
    indexedAt: timestamp(),
  },
})

/** An issuer whose credentials are trusted. */
export const TrustedIssuer = defineEntity({
  name: 'TrustedIssuer',
  tableName: 'trusted_issuers',
  properties: {
    did: key().primary(),
    /** Null allows every type. */
    allowedTypes: p.array().strictNullable(),
    /** Only for DIDs that do not contain their key. */
    pinnedKeys: p.json<IssuerKey[]>().strictNullable(),
    notBefore: timestamp().strictNullable(),
    notAfter: timestamp().strictNullable(),
    enabled: p.boolean().default(true),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
})
