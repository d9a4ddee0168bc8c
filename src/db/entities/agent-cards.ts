import { defineEntity, p } from '@mikro-orm/core'
import type { CardContent, CardMatch, CardSignature, CardState } from '../../domain/agent-card.ts'
import { key, timestamp } from './columns.ts'

/** The last check of an agent's hosted card and the time of the next one. */
export const AgentCardCheck = defineEntity({
  name: 'AgentCardCheck',
  tableName: 'agent_card_checks',
  properties: {
    agentPda: key().primary(),
    /** The last result; it stays until a card is fetched again. */
    cardHashMismatch: p.boolean(),
    checkedAt: timestamp().strictNullable(),
    /** URL and hash as on the ledger; triggers of `agents` update them. */
    url: p.text().default(''),
    hash: key().default(''),
    /** The host, with its port, that serves the URL: the unit of back-off. Null: not found yet. */
    host: key().strictNullable(),
    /** The host's site: the unit of the checks that run at once. Null: not found yet. */
    site: key().strictNullable(),
    state: p.text().$type<CardState>().default('unchecked'),
    reason: p.text().strictNullable(),
    matchedBy: p.text().$type<CardMatch>().strictNullable(),
    signature: p.text().$type<CardSignature>().strictNullable(),
    /** From the last card that was fetched from this URL. */
    content: p.json<CardContent>().strictNullable(),
    /** Consecutive failures. */
    failures: p.integer().default(0),
    /** Also in the future while a worker holds the lease. */
    nextCheckAt: timestamp().defaultRaw('now()'),
    leaseToken: key().strictNullable(),
    /** When the last check started. */
    claimedAt: timestamp().strictNullable(),
    /** When the agent's credentials are refreshed, or when the lease of that expires. */
    credentialsDueAt: timestamp().strictNullable(),
    credentialsClaimedAt: timestamp().strictNullable(),
    credentialsToken: key().strictNullable(),
  },
})

/** A host of agent cards that could not be reached or did not respond. */
export const AgentCardHost = defineEntity({
  name: 'AgentCardHost',
  tableName: 'agent_card_hosts',
  properties: {
    host: key().primary(),
    /** Consecutive failures. */
    failures: p.integer(),
    /** No request is sent to the host before this time. */
    retryAt: timestamp(),
  },
})
