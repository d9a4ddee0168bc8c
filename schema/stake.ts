import { offsetUnits } from '../src/domain/page.ts'
import type { StakeRow } from '../src/registry/rows.ts'
import type { WithdrawalRow } from '../src/registry/stake-reads.ts'
import { AgentRef } from './agent.ts'
import { builder } from './builder.ts'
import { args, inputType, required } from './inputs.ts'
import { list, nullable, objectType, of, pubkey, time, u64 } from './columns.ts'
import { CONNECTION_ARGS, connectionType } from './connection.ts'
import { enumType } from './enum-values.ts'
import { nodeType } from './node.ts'
import { orderType, PAGE_ARGS, pageType } from './page.ts'

const WithdrawalRef = objectType<WithdrawalRow>(
  'Withdrawal',
  'A withdrawal that was requested and is neither completed nor cancelled.',
  {
    amount: u64('Amount in USDC base units (6 decimals).'),
    requestedAt: time('Block time of the request.'),
    completableAt: nullable(
      time(
        'Time from which it can be completed. A new cooldown of the registry changes it. Null if the registry is not initialised.',
      ),
    ),
  },
)

const StakeOrderField = enumType(
  'StakeOrderField',
  'Sort key of stake accounts. Stakes with equal keys are sorted by pda.',
  {
    pda: 'By address.',
    deposited_amount: 'By deposit.',
  },
)

const StakeOrder = orderType('StakeOrder', StakeOrderField, {
  field: 'Default: the address.',
  direction: 'Default: ascending by address, descending by deposit.',
})

const StakeFilter = inputType('StakeFilter', 'Stake accounts must match all conditions.', {
  owner: pubkey('Only stake accounts of this wallet.'),
  agentPda: pubkey('Only the stake account of this agent.'),
})

const LIST_ARGS = {
  filter: of(StakeFilter, 'Default: all stake accounts.'),
  orderBy: of(StakeOrder, 'Default: by address.'),
}

const StakeRef = nodeType<StakeRow>(
  'Stake',
  'The stake account of an agent. Amounts are USDC base units (6 decimals).',
  {
    pda: pubkey('Address of the stake account.'),
    agentPda: pubkey('Address of the agent’s account.'),
    owner: pubkey('Wallet of the agent’s owner.'),
    depositedAmount: u64('Deposit in USDC base units (6 decimals).', 600_000_000),
    lockedAmount: u64('Part of the deposit that cannot be withdrawn, in USDC base units.', 0),
    pendingWithdrawal: u64('Requested withdrawal that is not completed yet, in USDC base units.', 0),
    rentPayer: pubkey('Who paid the rent of the account, and gets it back when the stake is closed.'),
  },
)

builder.objectFields(StakeRef, (t) => ({
  withdrawal: t.field({
    type: WithdrawalRef,
    nullable: true,
    description: 'The requested withdrawal. Null if there is none.',
    resolve: ({ pda }, _, { loaders }) => loaders.withdrawalByStake.load(pda),
  }),
  agent: t.field({
    type: AgentRef,
    nullable: true,
    description: 'The agent. Null if it is closed.',
    resolve: ({ agentPda }, _, { loaders }) => loaders.agentByPda.load(agentPda),
  }),
}))

const StakePageRef = pageType('StakePage', 'A page of stake accounts.', {
  stakes: list(of(StakeRef, 'The stake accounts of this page.')),
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
    extensions: { readsTables: true, errors: ['STAKE_NOT_FOUND'] },
    type: StakeRef,
    nullable: true,
    description: 'Returns one stake account. A closed one is not found.',
    args: args({ pda: required(pubkey('Address of the stake account.')) }),
    resolve: (_, { pda }, { services }) => services.stakes.get(pda),
  }),
  stakes: t.field({
    extensions: { errors: ['INVALID_CURSOR'] },
    type: StakeConnectionRef,
    description: 'Lists stake accounts.',
    args: args({ ...LIST_ARGS, ...CONNECTION_ARGS }),
    resolve: (_, { filter, orderBy, ...page }, { services }) =>
      services.stakes.listConnection({ ...filter, sort: orderBy?.field, order: orderBy?.direction, ...page }),
  }),
  stakesPage: t.field({
    extensions: { units: ({ offset }) => 1 + offsetUnits(offset), readsTables: true },
    type: StakePageRef,
    description: 'The stake accounts of `stakes`, by offset.',
    args: args({ ...LIST_ARGS, ...PAGE_ARGS }),
    resolve: (_, { filter, orderBy, ...page }, { services }) =>
      services.stakes.list({ ...filter, sort: orderBy?.field, order: orderBy?.direction, ...page }),
  }),
}))
