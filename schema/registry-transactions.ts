import type { InputFieldBuilder, InputRef } from '@pothos/core'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { PreparedTransaction } from '../src/relay/prepared-transaction.ts'
import { PREPARE_UNITS } from '../src/relay/policy.ts'
import type { RegistryTransactions } from '../src/relay/registry-transactions.ts'
import { builder, type Types } from './builder.ts'
import type { GraphQLContext } from './context.ts'
import { example } from './policy.ts'
import { ServiceCategory } from './registry-enums.ts'
import { BUILD_ERRORS, PreparedTransactionRef, PriorityLevel, SPONSOR_ERRORS } from './relay.ts'

const required = { required: true } as const

const ownerFields = (t: InputFieldBuilder<Types, 'InputObject'>) => ({
  ownerPubkey: t.field({
    ...required,
    type: 'Pubkey',
    description: 'Wallet that owns the agent. It signs and pays.',
  }),
  priorityLevel: t.field({
    type: PriorityLevel,
    defaultValue: 'medium',
    description: 'Level of the priority fee.',
  }),
})

const SPONSORED = 'True to let the service pay the network fee, by the rules of sponsored preparations.'

const agentName = { ...example('Weather Scout'), description: '1 to 32 bytes of UTF-8.' }
const cardUrl = {
  ...example('https://agents.example/weather-scout.json'),
  description: 'URL of the agent card, 1 to 200 bytes, with the scheme https, ipfs, ar or did.',
}
const cardHash = {
  ...example('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', {
    pattern: '^[0-9a-fA-F]{64}$',
  }),
  description: 'SHA-256 of the agent card, 64 hex digits.',
}

const OwnerInput = builder.inputType('OwnerInput', {
  description: 'The owner of an agent.',
  fields: (t) => ({ ...ownerFields(t), sponsored: t.boolean({ description: SPONSORED }) }),
})

const StakeAmountInput = builder.inputType('StakeAmountInput', {
  description: 'The owner of an agent, and an amount.',
  fields: (t) => ({
    ...ownerFields(t),
    amount: t.field({
      ...required,
      ...example('250000000'),
      type: 'U64',
      description: 'USDC base units (6 decimals).',
    }),
    sponsored: t.boolean({ description: SPONSORED }),
  }),
})

const RegisterAgentInput = builder.inputType('RegisterAgentInput', {
  description: 'A new agent.',
  fields: (t) => ({
    ...ownerFields(t),
    name: t.string({ ...required, ...agentName }),
    serviceCategory: t.field({ ...required, type: ServiceCategory, description: 'Service category.' }),
    agentCardUrl: t.string({ ...required, ...cardUrl }),
    agentCardHash: t.string({ ...required, ...cardHash }),
    inviteCode: t.string({
      ...example('7KQ4M-X2D9H-0RTVW-P3ZBN'),
      description:
        'With an invite code the service pays rent and fee. Then submit it as a sponsored registration.',
    }),
  }),
})

const UpdateAgentInput = builder.inputType('UpdateAgentInput', {
  description:
    'Changes of an agent. Absent fields stay unchanged. The URL and the hash of the card change together.',
  fields: (t) => ({
    ...ownerFields(t),
    name: t.string(agentName),
    serviceCategory: t.field({ type: ServiceCategory, description: 'Service category.' }),
    capabilities: t.field({ ...example('5'), type: 'U64', description: 'Bit mask of capabilities.' }),
    version: t.string({ ...example('1.4.0'), description: '0 to 16 bytes of UTF-8.' }),
    agentCardUrl: t.string(cardUrl),
    agentCardHash: t.string(cardHash),
    sponsored: t.boolean({ description: SPONSORED }),
  }),
})

/** Counts what the service may pay for, in addition to `prepare`. */
async function countSponsored(
  { sponsored, inviteCode }: { readonly sponsored?: boolean | null; readonly inviteCode?: string | null },
  { count }: GraphQLContext,
): Promise<void> {
  if (sponsored === true) await count('sponsoredPrepare')
  if (inviteCode !== undefined && inviteCode !== null) await count('register')
}

type Prepare<Input> = (input: Input, clientIp: string) => Promise<PreparedTransaction>
/** The methods of the service that take this input. */
type MethodWith<Input> = {
  [Name in keyof RegistryTransactions]: RegistryTransactions[Name] extends Prepare<Input> ? Name : never
}[keyof RegistryTransactions]

interface Mutation {
  /** What the transaction does: the end of the sentence "a transaction that". */
  readonly purpose: string
  /** Besides those of every preparation. */
  readonly errors?: readonly ErrorCode[]
}

/** Adds a mutation for each of these methods, with its description. */
function prepareMutations<Input extends object>(
  type: InputRef<Input>,
  methods: { readonly [Name in MethodWith<Input>]?: Mutation },
): void {
  for (const [method, { purpose, errors = [] }] of Object.entries(methods) as [MethodWith<Input>, Mutation][])
    builder.mutationField(`prepare${method[0]?.toUpperCase()}${method.slice(1)}`, (t) =>
      t.field({
        extensions: {
          rateLimit: 'prepare',
          units: () => PREPARE_UNITS,
          errors: ['INVALID_PUBKEY', ...errors, ...BUILD_ERRORS, 'AGENT_NOT_SPONSORED', ...SPONSOR_ERRORS],
        },
        type: PreparedTransactionRef,
        description: `Builds and simulates a transaction that ${purpose}. The owner signs it. Then submit it.`,
        args: { input: t.arg({ type, required: true, description: 'The values of the instruction.' }) },
        resolve: async (_, args, context) => {
          const { input } = args as unknown as { input: Input }
          await countSponsored(input, context)
          const prepare = context.services.registryTransactions[method] as Prepare<Input>
          return prepare(input, context.clientIp)
        },
      }),
    )
}

prepareMutations(RegisterAgentInput, {
  registerAgent: {
    purpose: 'registers an agent',
    errors: ['INVITE_CODE_INVALID', 'AGENT_EXISTS', 'WALLET_SPONSORED', 'SPONSOR_CLIENT_LIMIT'],
  },
})
prepareMutations(UpdateAgentInput, { updateAgent: { purpose: 'changes the metadata of an agent' } })
prepareMutations(StakeAmountInput, {
  deposit: {
    purpose: 'moves USDC from the owner’s associated token account to the stake of the agent',
    errors: ['NOT_READY'],
  },
  requestWithdrawal: {
    purpose: 'requests a withdrawal of stake. It can be completed after the cooldown',
  },
})
prepareMutations(OwnerInput, {
  suspendAgent: { purpose: 'suspends an agent' },
  reactivateAgent: { purpose: 'ends a suspension by the owner' },
  deactivateAgent: {
    purpose: 'deactivates the owner’s agent permanently: it can never become active again',
  },
  closeAgent: { purpose: 'closes a deactivated agent without a stake', errors: ['AGENT_NOT_FOUND'] },
  closeDeactivationRecord: { purpose: 'closes the record of a deactivation, 30 days after it' },
  cancelWithdrawal: { purpose: 'cancels the requested withdrawal' },
  completeWithdrawal: {
    purpose: 'pays out the requested withdrawal to the owner’s associated token account, after the cooldown',
    errors: ['NOT_READY'],
  },
  closeStake: {
    purpose: 'closes the empty stake of a deactivated agent',
    errors: ['STAKE_NOT_FOUND', 'NOT_READY'],
  },
})
