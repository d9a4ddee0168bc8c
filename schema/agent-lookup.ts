import { MAX_REPUTATION } from '@agent-registry/program'
import { SEARCH_UNITS } from '../src/agents/agent-filter.ts'
import { type FoundAgents, isName, MATCHED_BY, MATCHES } from '../src/agents/lookup-agents.ts'
import { AGENT_CHECKS, type AgentCheck, type AgentVerdict } from '../src/agents/verify-agent.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { DID_EXAMPLE } from './did.ts'
import { enumValues } from './enum-values.ts'
import { example } from './policy.ts'
import { Tier } from './registry-enums.ts'

const MatchedBy = builder.enumType('AgentMatch', {
  description: 'How agents were found.',
  values: enumValues(MATCHED_BY, {
    did: 'By the DID of the owner.',
    owner: 'By the key of the owner.',
    pda: 'By the address of the agent’s account.',
    name: 'By name.',
  }),
})

const LookupRef = builder.objectRef<FoundAgents>('AgentLookup').implement({
  description: 'The agents that match a text.',
  fields: (t) => ({
    matchedBy: t.expose('matchedBy', { type: MatchedBy, description: 'How they were found.' }),
    agents: t.field({
      extensions: { listSize: MATCHES },
      type: [AgentRef],
      description: `At most ${MATCHES}, the most similar names first.`,
      resolve: ({ agents }) => [...agents],
    }),
  }),
})

const CheckName = builder.enumType('AgentCheckName', {
  description: 'What is checked of an agent.',
  values: enumValues(AGENT_CHECKS, {
    registered: 'The wallet has an agent.',
    active: 'The agent is active.',
    card: 'No mismatch of its card was found.',
    tier: 'It has the required tier.',
    reputation: 'It has the required reputation.',
  }),
})

const CheckRef = builder.objectRef<AgentCheck>('AgentCheck').implement({
  description: 'One check of an agent.',
  fields: (t) => ({
    check: t.expose('check', { type: CheckName, description: 'What was checked.' }),
    passed: t.exposeBoolean('passed', { description: 'Whether the check passed.' }),
    detail: t.exposeString('detail', {
      ...example('tier is observer, required is at least premium'),
      description: 'What was found.',
    }),
  }),
})

const VerdictRef = builder.objectRef<AgentVerdict>('AgentVerdict').implement({
  description: 'Whether an agent can be trusted.',
  fields: (t) => ({
    verified: t.exposeBoolean('verified', { description: 'Whether every check passed.' }),
    agent: t.expose('agent', { type: AgentRef, nullable: true, description: 'Null if there is none.' }),
    did: t.exposeString('did', { ...example(DID_EXAMPLE), description: 'DID of the owner.' }),
    checks: t.field({
      type: [CheckRef],
      description: 'Those of tier and reputation only if they were required.',
      resolve: ({ checks }) => [...checks],
    }),
  }),
})

builder.queryFields((t) => ({
  lookupAgents: t.field({
    extensions: {
      units: ({ query }) => (typeof query === 'string' && isName(query) ? SEARCH_UNITS : 1),
      tables: ['agents'],
      errors: ['INVALID_DID'],
    },
    type: LookupRef,
    description: `Finds agents by DID, owner key, agent address or name. Names can be misspelled. Returns at most ${MATCHES} agents.`,
    args: {
      query: t.arg.string({
        ...example('Weather Scout', { minLength: 1 }),
        required: true,
        description: 'DID, base-58 public key or address, or a name.',
      }),
    },
    resolve: (_, { query }, { services }) => services.agents.lookUpAny(query),
  }),
  verifyAgent: t.field({
    extensions: { tables: ['agents'] },
    type: VerdictRef,
    description:
      'Checks that the agent of a wallet is registered and active, that its card matches the recorded hash, and that it has the required tier and reputation.',
    args: {
      owner: t.arg({ type: 'Pubkey', required: true, description: 'Wallet of the owner.' }),
      minTier: t.arg({ type: Tier, description: 'Lowest acceptable tier.' }),
      minReputation: t.arg.int({
        extensions: { jsonSchema: { minimum: 0, maximum: MAX_REPUTATION } },
        description: 'Lowest acceptable reputation.',
      }),
    },
    resolve: (_, args, { services }) => services.agents.verify(args),
  }),
}))
