import { defineEntity, p } from '@mikro-orm/core'
import type { CredentialSource } from '../tables/credentials.ts'
import { key, timestamp } from './columns.ts'
import type { Verdict } from '../../domain/credential-verdict.ts'

const AgentCredentialSchema = defineEntity({
  name: 'AgentCredential',
  tableName: 'agent_credentials',
  properties: {
    agentPda: key().primary(),
    vcHash: key().primary(),
    credentialUrl: p.text(),
    source: p.text().$type<CredentialSource>(),
    type: p.text(),
    issuer: p.text(),
    validFrom: timestamp().nullable(),
    validUntil: timestamp().nullable(),
    verdict: p.json<Verdict>(),
    document: p.text(),
    indexedAt: timestamp(),
  },
})

/** A credential that is attached to an agent. */
export class AgentCredential extends AgentCredentialSchema.class {}

AgentCredentialSchema.setClass(AgentCredential)
