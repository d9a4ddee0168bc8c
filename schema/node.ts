import type { AgentRow } from '../src/agents/agent-row.ts'
import type { AttachedCredential } from '../src/identity/credentials/attached/credential-list.ts'
import type { StakeRow } from '../src/stakes/stake-reads.ts'
import { builder } from './builder.ts'
import { nodeId, type NodeType, readNodeId } from './node-id.ts'

type NodeRow = AgentRow | StakeRow | AttachedCredential

const typeOf = (row: NodeRow): NodeType =>
  'vcHash' in row ? 'Credential' : 'depositedAmount' in row ? 'Stake' : 'Agent'

export const NodeRef = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object with an identifier that is unique among all objects.',
  fields: (t) => ({
    id: t.id({
      description: 'Opaque identifier for `node` and for the caches of clients.',
      resolve: (row) =>
        'vcHash' in row ? nodeId('Credential', row.agentPda, row.vcHash) : nodeId(typeOf(row), row.pda),
    }),
  }),
  resolveType: typeOf,
})

builder.queryField('node', (t) =>
  t.field({
    type: NodeRef,
    nullable: true,
    description:
      'Returns an object by its `id`. Null if it does not exist any more. Errors: INVALID_NODE_ID.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of an agent, stake or credential.' }) },
    resolve: async (_, { id }, { loaders }) => {
      const { type, keys } = readNodeId(id)
      const [pda, vcHash] = keys
      if (type === 'Stake') return loaders.stakeByPda.load(pda)
      const agent = await loaders.agentByPda.load(pda)
      if (type === 'Agent' || agent === null) return agent
      const { credentials } = await loaders.credentialsByAgent({}).load(agent)
      return credentials.find((each) => each.vcHash === vcHash) ?? null
    },
  }),
)
