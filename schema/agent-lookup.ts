import { MAX_REPUTATION } from '@agent-registry/program'
import { SEARCH_UNITS } from '../src/registry/agents/agent-filter.ts'
import { type FoundAgents, isName, MATCHES } from '../src/registry/agents/lookup-agents.ts'
import type { AgentCheck, AgentVerdict } from '../src/registry/agents/verify-agent.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { args, limited, required } from './inputs.ts'
import { bool, int, list, nullable, objectType, of, pubkey, text } from './columns.ts'
import { DID_EXAMPLE } from './did.ts'
import { enumType } from './enum-values.ts'
import { Tier } from './registry-enums.ts'

const MatchedBy = enumType('AgentMatch', 'How agents were found.', {
  did: 'By the DID of the owner.',
  owner: 'By the key of the owner.',
  pda: 'By the address of the agent’s account.',
  name: 'By name.',
})

const LookupRef = objectType<FoundAgents>('AgentLookup', 'The agents that match a text.', {
  matchedBy: of(MatchedBy, 'How they were found.'),
  agents: list(of(AgentRef, `At most ${MATCHES}, the most similar names first.`), { listSize: MATCHES }),
})

const CheckName = enumType('AgentCheckName', 'What is checked of an agent.', {
  registered: 'The wallet has an agent.',
  active: 'The agent is active.',
  card: 'No mismatch of its card was found.',
  tier: 'It has the required tier.',
  reputation: 'It has the required reputation.',
})

const CheckRef = objectType<AgentCheck>('AgentCheck', 'One check of an agent.', {
  check: of(CheckName, 'What was checked.'),
  passed: bool('Whether the check passed.'),
  detail: text('What was found.', 'tier is observer, required is at least premium'),
})

const VerdictRef = objectType<AgentVerdict>('AgentVerdict', 'Whether an agent can be trusted.', {
  verified: bool('Whether every check passed.'),
  agent: nullable(of(AgentRef, 'Null if there is none.')),
  did: text('DID of the owner.', DID_EXAMPLE),
  checks: list(of(CheckRef, 'Those of tier and reputation only if they were required.')),
})

builder.queryFields((t) => ({
  lookupAgents: t.field({
    extensions: {
      units: ({ query }) => (typeof query === 'string' && isName(query) ? SEARCH_UNITS : 1),
      readsTables: true,
      errors: ['INVALID_DID'],
    },
    type: LookupRef,
    description: `Finds agents by DID, owner key, agent address or name. Names can be misspelled. Returns at most ${MATCHES} agents.`,
    args: args({
      query: required(
        text('DID, base-58 public key or address, or a name.', 'Weather Scout', { minLength: 1 }),
      ),
    }),
    resolve: (_, { query }, { services }) => services.agents.lookUpAny(query),
  }),
  verifyAgent: t.field({
    extensions: { readsTables: true },
    type: VerdictRef,
    description:
      'Checks that the agent of a wallet is registered and active, that its card matches the recorded hash, and that it has the required tier and reputation.',
    args: args({
      owner: required(pubkey('Wallet of the owner.')),
      minTier: of(Tier, 'Lowest acceptable tier.'),
      minReputation: limited(int('Lowest acceptable reputation.'), { minimum: 0, maximum: MAX_REPUTATION }),
    }),
    resolve: (_, args, { services }) => services.agents.verify(args),
  }),
}))
