import type { InputFieldBuilder, InputRef } from '@pothos/core'
import type { PreparedTransaction } from '../src/relay/prepared-transaction.ts'
import { PREPARE_UNITS } from '../src/relay/policy.ts'
import type { RegistryTransactions } from '../src/relay/registry-transactions.ts'
import { builder, type Types } from './builder.ts'
import type { GraphQLContext } from './context.ts'
import { ServiceCategory } from './registry-enums.ts'
import { PreparedTransactionRef, PriorityLevel } from './relay.ts'

const required = { required: true } as const

const ownerFields = (t: InputFieldBuilder<Types, 'InputObject'>) => ({
  ownerPubkey: t.field({
    ...required,
    type: 'Pubkey',
    description: 'Wallet that owns the agent. It signs and pays.',
  }),
  priorityLevel: t.field({
    type: PriorityLevel,
    description: 'Level of the priority fee. Default: medium.',
  }),
})

const SPONSORED =
  'True to let the service pay the network fee. The rules of `prepareSponsoredTransaction` apply.'

const cardUrl = {
  description: 'URL of the agent card, 1 to 200 bytes, with the scheme https, ipfs, ar or did.',
}
const cardHash = { description: 'SHA-256 of the agent card, 64 hex digits.' }

const OwnerInput = builder.inputType('OwnerInput', {
  description: 'The owner of an agent.',
  fields: (t) => ({ ...ownerFields(t), sponsored: t.boolean({ description: SPONSORED }) }),
})

const StakeAmountInput = builder.inputType('StakeAmountInput', {
  description: 'The owner of an agent, and an amount.',
  fields: (t) => ({
    ...ownerFields(t),
    amount: t.field({ ...required, type: 'U64', description: 'USDC base units (6 decimals).' }),
    sponsored: t.boolean({ description: SPONSORED }),
  }),
})

const RegisterAgentInput = builder.inputType('RegisterAgentInput', {
  description: 'A new agent.',
  fields: (t) => ({
    ...ownerFields(t),
    name: t.string({ ...required, description: '1 to 32 bytes of UTF-8.' }),
    serviceCategory: t.field({ ...required, type: ServiceCategory, description: 'Service category.' }),
    agentCardUrl: t.string({ ...required, ...cardUrl }),
    agentCardHash: t.string({ ...required, ...cardHash }),
    inviteCode: t.string({
      description:
        'With an invite code the service pays rent and fee. Then submit with `submitSponsoredRegistration`.',
    }),
  }),
})

const UpdateAgentInput = builder.inputType('UpdateAgentInput', {
  description:
    'Changes of an agent. Absent fields stay unchanged. The URL and the hash of the card change together.',
  fields: (t) => ({
    ...ownerFields(t),
    name: t.string({ description: '1 to 32 bytes of UTF-8.' }),
    serviceCategory: t.field({ type: ServiceCategory, description: 'Service category.' }),
    capabilities: t.field({ type: 'U64', description: 'Bit mask of capabilities.' }),
    version: t.string({ description: '0 to 16 bytes of UTF-8.' }),
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

const text = (purpose: string, errors = ''): string =>
  `Builds and simulates a transaction that ${purpose}. The owner signs it; send it with \`submitTransaction\`. Errors: those of POST /relay/prepare${errors}.`

/** Adds a mutation for each of these methods, with its description. */
function prepareMutations<Input extends object>(
  type: InputRef<Input>,
  methods: { readonly [Name in MethodWith<Input>]?: string },
): void {
  for (const [method, description] of Object.entries(methods) as [MethodWith<Input>, string][])
    builder.mutationField(`prepare${method[0]?.toUpperCase()}${method.slice(1)}`, (t) =>
      t.field({
        extensions: { rateLimit: 'prepare', units: () => PREPARE_UNITS },
        type: PreparedTransactionRef,
        description,
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
  registerAgent: text('registers an agent', ', and with an invite code those of POST /sponsor/register'),
})
prepareMutations(UpdateAgentInput, { updateAgent: text('changes the metadata of an agent') })
prepareMutations(StakeAmountInput, {
  deposit: text(
    'moves USDC from the owner’s associated token account to the stake of the agent',
    ', NOT_READY',
  ),
  requestWithdrawal: text('requests a withdrawal of stake. It can be completed after the cooldown'),
})
prepareMutations(OwnerInput, {
  suspendAgent: text('suspends an agent'),
  reactivateAgent: text('ends a suspension by the owner'),
  deactivateAgent: text('deactivates an agent permanently'),
  closeAgent: text('closes a deactivated agent without a stake', ', AGENT_NOT_FOUND'),
  closeDeactivationRecord: text('closes the record of a deactivation, 30 days after it'),
  cancelWithdrawal: text('cancels the requested withdrawal'),
  completeWithdrawal: text(
    'pays out the requested withdrawal to the owner’s associated token account, after the cooldown',
    ', NOT_READY',
  ),
  closeStake: text('closes the empty stake of a deactivated agent', ', STAKE_NOT_FOUND, NOT_READY'),
})
