import { type Tier, TIERS } from '@agent-registry/program'
import { quoted, visible } from '../../src/domain/quoted.ts'
import { ownerDid } from '../../src/domain/did.ts'
import type { Services } from '../../src/services.ts'
import { type AgentView, agentView } from './agent-view.ts'

export interface VerifyAgentInput {
  readonly owner: string
  readonly minTier?: Tier | undefined
  readonly minReputation?: number | undefined
}

export interface AgentVerdict {
  readonly verified: boolean
  readonly agent: AgentView | null
  readonly did: string
  readonly checks: { check: string; passed: boolean; detail: string }[]
}

/** Checks that a wallet's agent is registered and active, and its card, tier and reputation. */
export async function verifyAgent({ agents }: Services, input: VerifyAgentInput): Promise<AgentVerdict> {
  const { owner, minTier, minReputation } = input
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
  const checks = [
    { check: 'registered', passed: true, detail: `${visible(name)} at ${pda}` },
    { check: 'active', passed: status === 'active', detail: `status is ${status}` },
    {
      check: 'card',
      passed: !cardHashMismatch,
      detail: cardHashMismatch
        ? 'the hosted agent card differs from its recorded hash'
        : 'no mismatch was found between the hosted agent card and its recorded hash',
    },
    ...(minTier === undefined
      ? []
      : [
          {
            check: 'tier',
            passed: TIERS.indexOf(tier) >= TIERS.indexOf(minTier),
            detail: `tier is ${tier}, required is at least ${minTier}`,
          },
        ]),
    ...(minReputation === undefined
      ? []
      : [
          {
            check: 'reputation',
            passed: reputationScore >= minReputation,
            detail: `reputation is ${reputationScore}, required is at least ${minReputation}`,
          },
        ]),
  ]
  return {
    verified: checks.every((each) => each.passed),
    agent: agentView(agent),
    did: ownerDid(owner),
    checks,
  }
}
