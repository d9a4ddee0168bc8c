import { type Tier, TIERS } from '@agent-registry/program'
import { ownerDid } from '../../domain/did.ts'
import { integerParameter, optional } from '../../domain/parameters.ts'
import { quoted, visible } from '../../domain/quoted.ts'
import { REPUTATION_RANGE } from './agent-filter.ts'
import type { AgentRow } from '../rows.ts'

export interface Requirements {
  readonly owner: string
  readonly minTier?: Tier | null | undefined
  readonly minReputation?: number | null | undefined
}

export interface AgentCheck {
  readonly check: 'registered' | 'active' | 'card' | 'tier' | 'reputation'
  readonly passed: boolean
  readonly detail: string
}

export interface AgentVerdict {
  /** Whether every check passed. */
  readonly verified: boolean
  readonly agent: AgentRow | null
  readonly did: string
  readonly checks: readonly AgentCheck[]
}

/**
 * Checks that a wallet's agent is registered and active, and its card, tier and reputation. Throws
 * INVALID_PUBKEY and INVALID_INTEGER.
 */
export async function verifyAgent(
  agents: { findByOwner(owner: string): Promise<AgentRow | null> },
  required: Requirements,
): Promise<AgentVerdict> {
  const { owner, minTier = null } = required
  const minReputation = optional(integerParameter(REPUTATION_RANGE), 'minReputation', required.minReputation)
  const agent = await agents.findByOwner(owner)
  if (agent === null) {
    const detail = `${quoted(owner).slice(1, -1)} has no agent in the registry`
    return {
      verified: false,
      agent: null,
      did: ownerDid(owner),
      checks: [{ check: 'registered', passed: false, detail }],
    }
  }
  const { name, pda, status, tier, reputationScore, cardHashMismatch } = agent
  const checks: AgentCheck[] = [
    { check: 'registered', passed: true, detail: `${visible(name)} at ${pda}` },
    { check: 'active', passed: status === 'active', detail: `status is ${status}` },
    {
      check: 'card',
      passed: !cardHashMismatch,
      detail: cardHashMismatch
        ? 'the hosted agent card differs from its recorded hash'
        : 'no mismatch was found between the hosted agent card and its recorded hash',
    },
    ...(minTier === null
      ? []
      : [
          {
            check: 'tier' as const,
            passed: TIERS.indexOf(tier) >= TIERS.indexOf(minTier),
            detail: `tier is ${tier}, required is at least ${minTier}`,
          },
        ]),
    ...(minReputation === undefined
      ? []
      : [
          {
            check: 'reputation' as const,
            passed: reputationScore >= minReputation,
            detail: `reputation is ${reputationScore}, required is at least ${minReputation}`,
          },
        ]),
  ]
  return {
    verified: checks.every((each) => each.passed),
    agent,
    did: ownerDid(owner),
    checks,
  }
}
