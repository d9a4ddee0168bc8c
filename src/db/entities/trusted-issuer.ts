import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'
import type { IssuerKey } from '../../domain/credential-verdict.ts'

const TrustedIssuerSchema = defineEntity({
  name: 'TrustedIssuer',
  tableName: 'trusted_issuers',
  properties: {
    did: key().primary(),
    allowedTypes: p.array().nullable(),
    pinnedKeys: p.json<IssuerKey[]>().nullable(),
    notBefore: timestamp().nullable(),
    notAfter: timestamp().nullable(),
    enabled: p.boolean().default(true),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  checks: [{ name: 'trusted_issuers_period', expression: 'not_before <= not_after' }],
})

/** An issuer whose credentials count. */
export class TrustedIssuer extends TrustedIssuerSchema.class {}

TrustedIssuerSchema.setClass(TrustedIssuer)
