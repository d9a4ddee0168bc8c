import type { InputRef } from '@pothos/core'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { PreparedTransaction } from '../src/relay/prepared-transaction.ts'
import { PREPARE_UNITS } from '../src/relay/policy.ts'
import type { RegistryTransactions } from '../src/relay/registry-transactions.ts'
import { builder } from './builder.ts'
import { bool, of, pubkey, text, u64 } from './columns.ts'
import type { GraphQLContext } from './context.ts'
import { args as argsOf, inputType, required, withDefault } from './inputs.ts'
import { ServiceCategory } from './registry-enums.ts'
import { BUILD_ERRORS, PreparedTransactionRef, PriorityLevel, SPONSOR_ERRORS } from './relay.ts'

const OWNER = {
  ownerPubkey: required(pubkey('Wallet that owns the agent. It signs and pays.')),
  priorityLevel: withDefault('medium', of(PriorityLevel, 'Level of the priority fee.')),
}
const SPONSORED = {
  sponsored: bool('True to let the service pay the network fee, by the rules of sponsored preparations.'),
}

const agentName = text('1 to 32 bytes of UTF-8.', 'Weather Scout')
const cardUrl = text(
  'URL of the agent card, 1 to 200 bytes, with the scheme https, ipfs, ar or did.',
  'https://agents.example/weather-scout.json',
)
const cardHash = text(
  'SHA-256 of the agent card, 64 hex digits.',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  { pattern: '^[0-9a-fA-F]{64}$' },
)

const OwnerInput = inputType('OwnerInput', 'The owner of an agent.', {
  ...OWNER,
  ...SPONSORED,
})

const StakeAmountInput = inputType('StakeAmountInput', 'The owner of an agent, and an amount.', {
  ...OWNER,
  amount: required(u64('USDC base units (6 decimals).', '250000000')),
  ...SPONSORED,
})

const RegisterAgentInput = inputType('RegisterAgentInput', 'A new agent.', {
  ...OWNER,
  name: required(agentName),
  serviceCategory: required(of(ServiceCategory, 'Service category.')),
  agentCardUrl: required(cardUrl),
  agentCardHash: required(cardHash),
  inviteCode: text(
    'With an invite code the service pays rent and fee. Then submit it as a sponsored registration.',
    '7KQ4M-X2D9H-0RTVW-P3ZBN',
  ),
})

const UpdateAgentInput = inputType(
  'UpdateAgentInput',
  'Changes of an agent. Absent fields stay unchanged. The URL and the hash of the card change together.',
  {
    ...OWNER,
    name: agentName,
    serviceCategory: of(ServiceCategory, 'Service category.'),
    capabilities: u64('Bit mask of capabilities.', '5'),
    version: text('0 to 16 bytes of UTF-8.', '1.4.0'),
    agentCardUrl: cardUrl,
    agentCardHash: cardHash,
    ...SPONSORED,
  },
)

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
        args: argsOf({ input: required(of(type, 'The values of the instruction.')) }),
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
