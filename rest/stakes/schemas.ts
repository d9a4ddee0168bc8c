import { Type } from 'typebox'
import {
  conditionalRequest,
  envelope,
  errors,
  named,
  cacheableResponses,
  pageQuery,
  Pubkey,
  U64,
} from '../contract/shapes.ts'

const Stake = named(
  'Stake',
  Type.Object(
    {
      pda: Pubkey('Address of the stake account.'),
      agent_pda: Pubkey('Address of the agent’s account.'),
      owner: Pubkey('Wallet of the agent’s owner.'),
      deposited_amount: U64('Deposit in USDC base units (6 decimals).', 600_000_000),
      locked_amount: U64('Part of the deposit that cannot be withdrawn, in USDC base units.', 0),
      pending_withdrawal: U64('Requested withdrawal that is not completed yet, in USDC base units.', 0),
    },
    { description: 'The stake account of an agent.' },
  ),
)

export const listStakesSchema = {
  operationId: 'listStakes',
  tags: ['Stakes'],
  summary: 'List stake accounts',
  description: 'Sorted by `pda`.',
  querystring: Type.Object({
    owner: Type.Optional(Pubkey('Wallet of the agent’s owner.')),
    agent_pda: Type.Optional(Pubkey('Address of the agent’s account.')),
    ...pageQuery,
  }),
  ...conditionalRequest,
  response: { ...cacheableResponses(envelope('stakes', Stake)), ...errors([400]) },
}

export const getStakeSchema = {
  operationId: 'getStake',
  tags: ['Stakes'],
  summary: 'Read one stake account',
  description: 'A closed stake account is not found. `GET /stakes?agent_pda=` finds the stake of an agent.',
  params: Type.Object({ pda: Pubkey('Address of the stake account.') }),
  querystring: Type.Object({}),
  ...conditionalRequest,
  response: { ...cacheableResponses(Stake), ...errors([400, 404], { 404: 'Stake account not found' }) },
}
