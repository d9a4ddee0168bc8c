import { z } from 'zod'
import { MAX_REPUTATION } from '@agent-registry/program'
import { agentListUnits, SEARCH_UNITS, STATUS_FILTERS } from '../../src/agents/agent-filter.ts'
import { AGENT_SORTS } from '../../src/agents/list-agents.ts'
import { ORDERS, PAGE_OFFSET } from '../../src/domain/page.ts'
import type { AttachedCredential } from '../../src/identity/credentials/attached/credential-list.ts'
import { ownerDid } from '../../src/domain/did.ts'
import { agentView } from './agent-view.ts'
import { isName, lookupAgent } from './lookup-agent.ts'
import { agent, category, check, credential, owner, tier } from './shapes.ts'
import { defineTool } from './tool.ts'
import { agentLink } from './resources.ts'
import { verifyAgent } from './verify-agent.ts'

const RECENT_CHANGES = 10
export const LIST_LIMIT = { max: 50, default: 20 }

const reputation = z.number().int().min(0).max(MAX_REPUTATION)

export const READ_TOOLS = [
  defineTool('lookup_agent', {
    title: 'Find an agent',
    description:
      'Finds agents by DID, owner key, agent address or name. Names can be misspelled. Returns at most 10 agents.',
    effect: 'read',
    units: ({ query }) => (isName(query) ? SEARCH_UNITS : 1),
    input: { query: z.string().min(1).max(128).describe('DID, base-58 public key or address, or a name') },
    output: z.object({ matchedBy: z.enum(['did', 'owner', 'pda', 'name']), agents: z.array(agent) }),
    links: ({ agents }) => agents.map(agentLink),
    run: (services, { query }) => lookupAgent(services, query),
  }),

  defineTool('verify_agent', {
    title: 'Check whether an agent can be trusted',
    description:
      'Checks that the agent of a wallet is registered and active, that its card matches the recorded hash, and that it has the required tier and reputation.',
    effect: 'read',
    input: { owner, minTier: tier.optional(), minReputation: reputation.optional() },
    output: z.object({
      verified: z.boolean().describe('True if every check passed'),
      agent: agent.nullable(),
      did: z.string(),
      checks: z.array(check),
    }),
    links: ({ agent: found }) => (found === null ? [] : [agentLink(found)]),
    run: verifyAgent,
  }),

  defineTool('list_agents', {
    title: 'List agents',
    description:
      'Lists agents with the highest reputation first. Excludes agents whose card does not match the recorded hash.',
    effect: 'read',
    // Its output is written twice, and checked by the SDK.
    units: (filter) => 1 + agentListUnits(filter, filter.offset),
    input: {
      owner: owner.optional(),
      tier: tier.optional(),
      status: z.enum(STATUS_FILTERS).optional().describe('inactive matches every status except active'),
      category: category.optional(),
      minReputation: reputation.optional(),
      maxReputation: reputation.optional(),
      includeMismatched: z
        .boolean()
        .optional()
        .describe('Include agents whose card does not match the recorded hash'),
      sort: z.enum(AGENT_SORTS).default('reputation'),
      order: z.enum(ORDERS).default('desc'),
      limit: z.number().int().min(1).max(LIST_LIMIT.max).default(LIST_LIMIT.default),
      offset: z.number().int().min(0).max(PAGE_OFFSET.max).default(0),
    },
    output: z.object({
      total: z.number().describe('Exact number of matching agents'),
      agents: z.array(agent),
    }),
    links: ({ agents }) => agents.map(agentLink),
    run: async ({ agents }, filter) => {
      const { total, rows } = await agents.list(filter)
      return { total, agents: rows.map(agentView) }
    },
  }),

  defineTool('check_reputation', {
    title: 'Read an agent’s reputation',
    description:
      'Returns the reputation and tier of a wallet’s agent, and the last 10 changes of its reputation.',
    effect: 'read',
    input: { owner },
    output: z.object({
      pda: z.string(),
      owner: z.string(),
      reputationScore: z.number().describe('0 to 1000'),
      tier,
      history: z
        .array(
          z.object({ oldValue: z.string(), newValue: z.string(), delta: z.string(), timestamp: z.string() }),
        )
        .describe('Newest first'),
    }),
    run: async ({ agents }, input) => {
      const found = await agents.getOne(input)
      const { pda, reputationScore } = found
      const { rows } = await agents.history(pda, {
        eventType: 'reputation_updated',
        limit: RECENT_CHANGES,
      })
      return {
        pda,
        owner: input.owner,
        reputationScore,
        tier: found.tier,
        history: rows.map(({ oldValue, newValue, delta, timestamp }) => ({
          oldValue,
          newValue,
          delta: delta ?? '',
          timestamp,
        })),
      }
    },
  }),

  defineTool('resolve_did', {
    title: 'Resolve a DID',
    description: 'Returns the DID Document of a did:sol DID and the agent of its owner.',
    effect: 'read',
    input: {
      did: z.string().max(128).describe(ownerDid('<owner>')),
    },
    output: z.object({
      did: z.string(),
      agent,
      didDocument: z.record(z.string(), z.unknown()).describe('W3C DID Core 1.0'),
    }),
    links: ({ agent: found }) => [agentLink(found)],
    run: async ({ dids }, { did }) => {
      const { agent: row, didDocument } = await dids.resolve(did)
      const { context, ...document } = didDocument
      return { did, agent: agentView(row), didDocument: { '@context': context, ...document } }
    },
  }),

  defineTool('check_credentials', {
    title: 'List an agent’s credentials',
    description:
      'Lists the W3C Verifiable Credentials of a wallet’s agent. For each, shows whether it is structurally valid now, including its dates, and whether a trusted issuer signed it and did not revoke or suspend it.',
    effect: 'read',
    input: {
      owner,
      type: z.string().max(128).optional().describe('Credential type, such as SecurityAudit'),
      active: z
        .boolean()
        .optional()
        .describe(
          'true: only credentials that are structurally valid now and not revoked or suspended. false: only the others',
        ),
    },
    output: z.object({ pda: z.string(), owner: z.string(), credentials: z.array(credential) }),
    run: async ({ agents, credentials }, { owner: ofOwner, type, active }) => {
      const found = await agents.getOne({ owner: ofOwner })
      const list = await credentials.list(found.pda, { type, active })
      return { pda: found.pda, owner: ofOwner, credentials: list.credentials.map(credentialView) }
    },
  }),
]

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
