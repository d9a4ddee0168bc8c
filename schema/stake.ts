import type { Page } from '../src/domain/page.ts'
import type { StakeRow } from '../src/stakes/stake-reads.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { connectionArgs, connectionType } from './connection.ts'
import { pageArgs, pageFields } from './page.ts'

const StakeRef = builder.objectRef<StakeRow>('Stake')
const StakePageRef = builder.objectRef<Page<StakeRow>>('StakePage')

StakeRef.implement({
  description: 'The stake account of an agent. Amounts are USDC base units (6 decimals).',
  fields: (t) => ({
    pda: t.expose('pda', { type: 'Pubkey', description: 'Address of the stake account.' }),
    agentPda: t.expose('agentPda', { description: 'Address of the agent’s account.', type: 'Pubkey' }),
    owner: t.expose('owner', { description: 'Wallet of the agent’s owner.', type: 'Pubkey' }),
    depositedAmount: t.expose('depositedAmount', {
      description: 'Deposit in USDC base units (6 decimals).',
      type: 'U64',
    }),
    lockedAmount: t.expose('lockedAmount', {
      description: 'Part of the deposit that cannot be withdrawn, in USDC base units.',
      type: 'U64',
    }),
    pendingWithdrawal: t.expose('pendingWithdrawal', {
      type: 'U64',
      description: 'Requested withdrawal that is not completed yet, in USDC base units.',
    }),
    agent: t.field({
      type: AgentRef,
      nullable: true,
      description: 'The agent. Null if it is closed.',
      resolve: ({ agentPda }, _, { loaders }) => loaders.agentByPda.load(agentPda),
    }),
  }),
})

StakePageRef.implement({
  description: 'A page of stake accounts.',
  fields: (t) => ({
    ...pageFields(t),
    stakes: t.expose('rows', { description: 'The stake accounts of this page.', type: [StakeRef] }),
  }),
})

const StakeConnectionRef = connectionType('Stake', StakeRef)

builder.objectField(AgentRef, 'stake', (t) =>
  t.field({
    type: StakeRef,
    nullable: true,
    description: 'The agent’s stake account. Null before the first deposit.',
    resolve: ({ pda }, _, { loaders }) => loaders.stakeByAgent.load(pda),
  }),
)

builder.queryFields((t) => ({
  stake: t.field({
    type: StakeRef,
    description: 'Returns one stake account. Errors: STAKE_NOT_FOUND.',
    args: { pda: t.arg({ type: 'Pubkey', required: true, description: 'Address of the stake account.' }) },
    resolve: (_, { pda }, { services }) => services.stakes.get(pda),
  }),
  stakes: t.field({
    type: StakePageRef,
    description: 'Lists stake accounts, sorted by pda.',
    args: {
      owner: t.arg({ description: 'Only stake accounts of this wallet.', type: 'Pubkey' }),
      agentPda: t.arg({ description: 'Only the stake account of this agent.', type: 'Pubkey' }),
      ...pageArgs(),
    },
    resolve: (_, args, { services }) => services.stakes.list(args),
  }),
  stakesConnection: t.field({
    type: StakeConnectionRef,
    description: 'The stake accounts of `stakes` with cursor pagination.',
    args: {
      owner: t.arg({ type: 'Pubkey', description: 'Only stake accounts of this wallet.' }),
      agentPda: t.arg({ type: 'Pubkey', description: 'Only the stake account of this agent.' }),
      ...connectionArgs(),
    },
    resolve: (_, args, { services }) => services.stakes.listConnection(args),
  }),
}))
