import { z } from 'zod'
import { MAX_REPUTATION } from '@agent-registry/program'
import { DomainError } from '../../src/domain/errors.ts'
import { SEARCH_UNITS, STATUS_FILTERS } from '../../src/agents/agent-filter.ts'
import type { AttachedCredential } from '../../src/identity/credentials/attached/credential-list.ts'
import { ownerDid } from '../../src/domain/did.ts'
import { agentOf, agentView } from './agent-view.ts'
import { isName, lookupAgent } from './lookup-agent.ts'
import { agent, category, check, credential, owner, tier } from './shapes.ts'
import type { AddTool } from './tool.ts'
import { verifyAgent } from './verify-agent.ts'

const RECENT_CHANGES = 10
export const LIST_LIMIT = { max: 50, default: 20 }

const reputation = z.number().int().min(0).max(MAX_REPUTATION)

export function addReadTools(add: AddTool): void {
  add('lookup_agent', {
    title: 'Find an agent',
    description:
      'Finds agents by DID, owner key, agent address or name. Names can be misspelled. Returns at most 10 agents.',
    readOnly: true,
    units: ({ query }) => (isName(query) ? SEARCH_UNITS : 1),
    input: { query: z.string().min(1).max(128).describe('DID, base-58 public key or address, or a name') },
    output: z.object({ matchedBy: z.enum(['did', 'owner', 'pda', 'name']), agents: z.array(agent) }),
    run: (services, { query }) => lookupAgent(services, query),
  })

  add('verify_agent', {
    title: 'Check whether an agent can be trusted',
    description:
      'Checks that the agent of a wallet is registered and active, that its card matches the recorded hash, and that it has the required tier and reputation.',
    readOnly: true,
    input: { owner, minTier: tier.optional(), minReputation: reputation.optional() },
    output: z.object({
      verified: z.boolean().describe('True if every check passed'),
      agent: agent.nullable(),
      did: z.string(),
      checks: z.array(check),
    }),
    run: verifyAgent,
  })

  add('list_agents', {
    title: 'List agents',
    description:
      'Lists agents with the highest reputation first. Excludes agents whose card does not match the recorded hash.',
    readOnly: true,
    input: {
      tier: tier.optional(),
      status: z.enum(STATUS_FILTERS).optional().describe('inactive matches every status except active'),
      category: category.optional(),
      minReputation: reputation.optional(),
      limit: z.number().int().min(1).max(LIST_LIMIT.max).default(LIST_LIMIT.default),
    },
    output: z.object({
      total: z.number().describe('Exact number of matching agents'),
      agents: z.array(agent),
    }),
    run: async ({ agents }, filter) => {
      const { total, rows } = await agents.list({ ...filter, sort: 'reputation' })
      return { total, agents: rows.map(agentView) }
    },
  })

  add('check_reputation', {
    title: 'Read an agent’s reputation',
    description:
      'Returns the reputation and tier of a wallet’s agent, and the last 10 changes of its reputation.',
    readOnly: true,
    input: { owner },
    output: z.object({
      owner: z.string(),
      agentPda: z.string(),
      reputationScore: z.number().describe('0 to 1000'),
      tier,
      changes: z.array(
        z.object({ oldScore: z.string(), newScore: z.string(), delta: z.string(), timestamp: z.string() }),
      ),
    }),
    run: async (services, input) => {
      const found = await agentOf(services, input.owner)
      if (found === null) throw new DomainError('AGENT_NOT_FOUND')
      const { pda, reputationScore } = found
      const { rows } = await services.agents.history(pda, {
        eventType: 'reputation_updated',
        limit: RECENT_CHANGES,
      })
      return {
        owner: input.owner,
        agentPda: pda,
        reputationScore,
        tier: found.tier,
        changes: rows.map(({ oldValue, newValue, delta, timestamp }) => ({
          oldScore: oldValue,
          newScore: newValue,
          delta: delta ?? '',
          timestamp,
        })),
      }
    },
  })

  add('resolve_did', {
    title: 'Resolve a DID',
    description: 'Returns the DID Document of a did:sol DID and the agent of its owner.',
    readOnly: true,
    input: {
      did: z.string().max(128).describe(ownerDid('<owner>')),
    },
    output: z.object({
      did: z.string(),
      agent,
      didDocument: z.record(z.string(), z.unknown()).describe('W3C DID Core 1.0'),
    }),
    run: async ({ dids }, { did }) => {
      const { agent: row, didDocument } = await dids.resolve(did)
      const { context, ...document } = didDocument
      return { did, agent: agentView(row), didDocument: { '@context': context, ...document } }
    },
  })

  add('check_credentials', {
    title: 'List an agent’s credentials',
    description:
      'Lists the W3C Verifiable Credentials of a wallet’s agent. For each, shows whether it is structurally valid now, including its dates, and whether a trusted issuer signed it.',
    readOnly: true,
    input: {
      owner,
      type: z.string().max(128).optional().describe('Credential type, such as SecurityAudit'),
      activeOnly: z
        .boolean()
        .optional()
        .describe('Exclude credentials that are malformed, expired or not valid yet'),
    },
    output: z.object({ owner: z.string(), agentPda: z.string(), credentials: z.array(credential) }),
    run: async (services, { owner: ofOwner, type, activeOnly }) => {
      const found = await agentOf(services, ofOwner)
      if (found === null) throw new DomainError('AGENT_NOT_FOUND')
      const active = activeOnly === true ? true : undefined
      const { credentials } = await services.credentials.list(found.pda, { type, active })
      return { owner: ofOwner, agentPda: found.pda, credentials: credentials.map(credentialView) }
    },
  })
}

function credentialView(each: AttachedCredential): z.output<typeof credential> {
  const { type, issuer, credentialUrl, vcHash, validFrom, validUntil } = each
  const { structurallyValid, proofVerified } = each
  return {
    type,
    issuer,
    credentialUrl,
    vcHash,
    validFrom,
    validUntil,
    structurallyValid,
    proofVerified,
  }
}
