import { defineEntity, p } from '@mikro-orm/core'
import type { CredentialSource } from '../db/tables/credentials.ts'
import type { Verdict } from '../identity/credentials/verify/result.ts'
import { key, timestamp } from './columns.ts'

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
