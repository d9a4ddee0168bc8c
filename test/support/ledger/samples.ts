import { createHash } from 'node:crypto'
import { type Pubkey, pubkeyFromBytes } from '@agent-registry/solana'
import type { RegistryAccounts } from '@agent-registry/program'
import type { ScriptedTransaction } from './scripted-ledger.ts'

export const keyOf = (label: string): Pubkey => pubkeyFromBytes(createHash('sha256').update(label).digest())

const T0 = 1_764_000_000n

export function agentAccount(label: string, change: Partial<RegistryAccounts['Agent']> = {}) {
  const data: RegistryAccounts['Agent'] = {
    owner: keyOf(`owner of ${label}`),
    name: label,
    tier: 'observer',
    status: 'active',
    serviceCategory: 'research',
    capabilities: 3n,
    version: '1.0',
    agentCardUrl: 'https://a.example/card.json',
    agentCardHash: new Uint8Array(32).fill(7),
    reputationScore: 250,
    createdAt: T0,
    updatedAt: T0,
    reputationUpdatedAt: T0,
    bump: 254,
    reputationChangeToday: 0,
    reputationDayStart: 0n,
    tierEffectiveAt: T0,
    suspendedByAdmin: false,
    rentPayer: keyOf('payer'),
    ...change,
  }
  return { name: 'Agent' as const, data }
}

/** The registration of agent `label`: its account is `keyOf(label)`. */
export function registration(label: string): ScriptedTransaction {
  const account = agentAccount(label)
  return {
    accounts: { [keyOf(label)]: account },
    events: [
      {
        name: 'AgentRegistered',
        data: { ...account.data, agent: keyOf(label), timestamp: T0 },
      },
    ],
  }
}

export function report(label: string, oldScore: number, newScore: number): ScriptedTransaction {
  const owner = keyOf(`owner of ${label}`)
  return {
    accounts: { [keyOf(label)]: agentAccount(label, { reputationScore: newScore }) },
    events: [
      {
        name: 'ReputationUpdated',
        data: {
          agent: keyOf(label),
          owner,
          oldScore,
          newScore,
          delta: newScore - oldScore,
          reporter: keyOf('reporter'),
          reason: 1,
          timestamp: T0 + 60n,
        },
      },
    ],
  }
}

export function closing(label: string): ScriptedTransaction {
  return {
    accounts: { [keyOf(label)]: null },
    events: [
      {
        name: 'AgentClosed',
        data: { agent: keyOf(label), owner: keyOf(`owner of ${label}`), timestamp: T0 + 90n },
      },
    ],
  }
}
