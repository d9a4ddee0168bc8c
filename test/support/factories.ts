import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import type { Insertable, Kysely } from 'kysely'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import type { Database } from '../../src/db/database.ts'

/** A public key by name: the same text gives the same key. */
export function keyOf(text: string): Pubkey {
  return pubkey(bs58.encode(createHash('sha256').update(text).digest()))
}

export type NewAgent = Insertable<Database['agents']>
export type NewStake = Insertable<Database['stakes']>
type NewCredential = Insertable<Database['agent_credentials']>

/** A row of an agent. `label` determines its keys. */
export function agentRow(label: string, overrides: Partial<NewAgent> = {}): NewAgent {
  return {
    pda: keyOf(`agent ${label}`),
    owner: keyOf(`owner ${label}`),
    name: label.slice(0, 32),
    tier: 'observer',
    status: 'active',
    service_category: 'research',
    reputation_score: 250,
    capabilities: '5',
    version: '1.0.0',
    agent_card_url: `https://agents.example/${encodeURIComponent(label)}.json`,
    agent_card_hash: createHash('sha256').update(label).digest('hex'),
    card_hash_mismatch: false,
    suspended_by_admin: false,
    reputation_change_today: 0,
    reputation_day_start: '2026-11-20T00:00:00.000Z',
    reputation_updated_at: '2026-11-20T00:00:00.000Z',
    tier_effective_at: '2026-11-20T00:00:00.000Z',
    rent_payer: keyOf(`owner ${label}`),
    bump: 255,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T11:00:00.000Z',
    slot: 100,
    ...overrides,
  }
}

/** Rows of agents with the names `agent 0`, `agent 1` and so on. */
export const agentRows = (count: number): NewAgent[] =>
  Array.from({ length: count }, (_, i) => agentRow(`agent ${i}`))

export function stakeRow(label: string, overrides: Partial<NewStake> = {}): NewStake {
  return {
    pda: keyOf(`stake ${label}`),
    agent_pda: keyOf(`agent ${label}`),
    owner: keyOf(`owner ${label}`),
    deposited_amount: '600000000',
    locked_amount: '0',
    pending_withdrawal: '0',
    rent_payer: keyOf(`owner ${label}`),
    bump: 254,
    slot: 100,
    ...overrides,
  }
}

/** A credential that is valid for ever. `label` determines its agent and `name` its hash. */
export function credentialRow(
  label: string,
  name = 'credential',
  overrides: Partial<NewCredential> = {},
): NewCredential {
  const always = { from: null, until: null }
  return {
    agent_pda: keyOf(`agent ${label}`),
    vc_hash: createHash('sha256').update(name).digest('hex'),
    credential_url: 'https://issuer.example/1',
    source: 'owner',
    type: 'SecurityAuditCredential',
    issuer: 'did:web:issuer.example',
    verdict: {
      rulesVersion: '0',
      wellFormed: true,
      datesValid: true,
      issuer: 'did:web:issuer.example',
      types: ['SecurityAuditCredential'],
      validity: always,
      proofValidity: always,
      proofKeys: [],
      signaturesValid: null,
      hasStatus: false,
    },
    document: '{}',
    indexed_at: '2026-11-20T10:00:00.000Z',
    ...overrides,
  }
}

type NewEntry = Partial<
  Pick<Insertable<Database['agent_history']>, 'event_type' | 'old_value' | 'new_value' | 'delta'>
>

/** A label stands for the usual row with this label. */
export async function insertAgents(
  kysely: Kysely<Database>,
  given: readonly (NewAgent | string)[],
): Promise<void> {
  const rows = given.map((each) => (typeof each === 'string' ? agentRow(each) : each))
  for (let i = 0; i < rows.length; i += 500)
    await kysely
      .insertInto('agents')
      .values(rows.slice(i, i + 500))
      .execute()
}

export async function insertStakes(
  kysely: Kysely<Database>,
  given: readonly (NewStake | string)[],
): Promise<void> {
  const rows = given.map((each) => (typeof each === 'string' ? stakeRow(each) : each))
  if (rows.length > 0) await kysely.insertInto('stakes').values(rows).execute()
}

/**
 * Inserts the history of one agent, oldest first, one entry per minute from 12:00, and its ledger
 * events.
 */
export async function insertHistory(
  kysely: Kysely<Database>,
  label: string,
  entries: NewEntry[],
): Promise<void> {
  const rows = entries.map((entry, i) => ({
    event_id: `evt_${keyOf(`${label} ${i}`).slice(0, 22)}`,
    position: `${String(100 + i).padStart(20, '0')}-000000-0000-0000`,
    agent_pda: keyOf(`agent ${label}`),
    event_type: 'reputation_updated' as const,
    old_value: String(250 + i),
    new_value: String(251 + i),
    delta: '+1',
    occurred_at: new Date(Date.UTC(2026, 10, 20, 12, i)).toISOString(),
    ...entry,
  }))
  if (rows.length === 0) return
  await kysely
    .insertInto('ledger_events')
    .values(
      rows.map((row, i) => ({
        id: row.event_id,
        position: row.position,
        signature: keyOf(`signature ${label} ${i}`),
        slot: 100 + i,
        name: 'ReputationUpdated',
        agent_pda: row.agent_pda,
        owner: keyOf(`owner ${label}`),
        data: {},
        occurred_at: row.occurred_at,
      })),
    )
    .execute()
  await kysely.insertInto('agent_history').values(rows).execute()
}
