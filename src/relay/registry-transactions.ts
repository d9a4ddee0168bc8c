import type { Kysely } from 'kysely'
import { associatedTokenAccount, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction } from '@agent-registry/program'
import type { Database } from '../db/database.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import type { InstructionInput } from './check-instructions.ts'
import type { PriorityLevel } from './policy.ts'
import type { PreparedTransaction } from './prepared-transaction.ts'
import { readRentPayer, readUsdcMint } from './registry-accounts.ts'
import { readChanges, readFields, REGISTER_FIELDS, u64, type UPDATE_FIELDS } from './registry-fields.ts'
import type { RelayService } from './relay.ts'

export interface OwnerInput {
  /** base-58. The owner signs and pays. */
  readonly ownerPubkey: string
  readonly priorityLevel?: PriorityLevel | null
  /** True to let the service pay the network fee, as in POST /relay/prepare/sponsored. */
  readonly sponsored?: boolean | null
}

export type RegisterAgentInput = Omit<OwnerInput, 'sponsored'> & {
  readonly [Field in keyof typeof REGISTER_FIELDS]: string
} & {
  /** With it the service pays, as in POST /sponsor/register. */
  readonly inviteCode?: string | null
}
export type RegisterSponsoredInput = Omit<RegisterAgentInput, 'priorityLevel'> & {
  readonly inviteCode: string
}
/** Absent fields do not change. */
export type UpdateAgentInput = OwnerInput & {
  readonly [Field in keyof typeof UPDATE_FIELDS]?: string | null
}
/** `amount`: USDC base units (6 decimals), u64 in decimal. */
export type AmountInput = OwnerInput & { readonly amount: string }

export type RegistryTransactions = ReturnType<typeof createRegistryTransactions>

/** The part of the sponsorship service that prepares registrations. */
interface SponsoredRegistrations {
  register(
    input: {
      readonly instructions: readonly InstructionInput[]
      readonly signerPubkey: string
      readonly inviteCode: string
    },
    clientIp: string,
  ): Promise<PreparedTransaction>
}

/**
 * Prepares the transactions of an agent's owner for clients that do not build instructions. They
 * are ordinary prepared transactions: all limits and errors of `prepare` apply. Each method throws
 * INVALID_PUBKEY as well.
 */
export function createRegistryTransactions(options: {
  readonly kysely: Kysely<Database>
  readonly relay: Pick<RelayService, 'prepare'>
  readonly sponsorship: SponsoredRegistrations
  /** Null while sponsorship is off. */
  readonly feePayer: Pubkey | null
  readonly program: Pubkey
}) {
  const { kysely, relay, sponsorship, feePayer, program } = options
  const addresses = registryAddresses(program)
  type Accounts = Record<string, Pubkey>

  const instruction = (name: string, accounts: Accounts, args: Record<string, unknown>): InstructionInput => {
    const { programId, keys, data } = registryInstruction(program, name, accounts, args)
    return {
      programId: programId.toBase58(),
      keys: keys.map(({ pubkey, isSigner, isWritable }) => ({
        pubkey: pubkey.toBase58(),
        isSigner,
        isWritable,
      })),
      data: data.toString('base64'),
    }
  }

  /** Prepares one instruction. `accounts` gets the owner and the address of its agent. */
  const prepare = async (
    name: string,
    { ownerPubkey, priorityLevel, sponsored }: OwnerInput,
    clientIp: string,
    args: Record<string, unknown> = {},
    accounts: (agent: Pubkey, owner: Pubkey) => Accounts | Promise<Accounts> = () => ({}),
  ): Promise<PreparedTransaction> => {
    const owner = pubkeyParameter('ownerPubkey', ownerPubkey)
    const agent = addresses.agent(owner)
    const all = { owner, authority: owner, payer: owner, agent, ...(await accounts(agent, owner)) }
    const instructions = [instruction(name, all, args)]
    return relay.prepare({ instructions, signerPubkeys: [owner], priorityLevel, sponsored }, clientIp)
  }

  /** The owner's associated token account. */
  const tokenAccounts = async (owner: Pubkey) => {
    const usdcMint = await readUsdcMint(kysely)
    return { usdcMint, ownerToken: associatedTokenAccount(owner, usdcMint) }
  }

  /** The service pays. Throws what `SponsorshipService.register` throws. */
  const registerSponsored = async (input: RegisterSponsoredInput, clientIp: string) => {
    const owner = pubkeyParameter('ownerPubkey', input.ownerPubkey)
    // Without a fee payer, the request is refused whatever it contains.
    const accounts = { payer: feePayer ?? owner, owner }
    const instructions = [instruction('register_agent', accounts, readFields(REGISTER_FIELDS, input))]
    const { inviteCode } = input
    return sponsorship.register({ instructions, signerPubkey: owner, inviteCode }, clientIp)
  }

  return {
    registerSponsored,
    /** With an invite code, the same as `registerSponsored`. */
    registerAgent: async ({ inviteCode, ...input }: RegisterAgentInput, clientIp: string) =>
      inviteCode === undefined || inviteCode === null
        ? prepare('register_agent', input, clientIp, readFields(REGISTER_FIELDS, input))
        : registerSponsored({ ...input, inviteCode }, clientIp),

    /** Throws INVALID_REQUEST if nothing changes, or only one of agentCardUrl and agentCardHash. */
    updateAgent: async (input: UpdateAgentInput, clientIp: string) =>
      prepare('update_agent', input, clientIp, readChanges(input)),
    suspendAgent: (input: OwnerInput, clientIp: string) => prepare('suspend_agent', input, clientIp),
    reactivateAgent: (input: OwnerInput, clientIp: string) => prepare('reactivate_agent', input, clientIp),
    /** Permanent. */
    deactivateAgent: (input: OwnerInput, clientIp: string) => prepare('deactivate_agent', input, clientIp),
    /** Throws AGENT_NOT_FOUND. */
    closeAgent: (input: OwnerInput, clientIp: string) =>
      prepare('close_agent', input, clientIp, {}, async (agent) => ({
        rentPayer: await readRentPayer(kysely, 'agents', agent),
      })),
    closeDeactivationRecord: (input: OwnerInput, clientIp: string) =>
      prepare('close_deactivation_record', input, clientIp),

    /** From the owner's associated USDC account. Throws NOT_READY. */
    deposit: async (input: AmountInput, clientIp: string) =>
      prepare('deposit', input, clientIp, { amount: u64('amount', input.amount) }, (_, owner) =>
        tokenAccounts(owner),
      ),
    requestWithdrawal: async (input: AmountInput, clientIp: string) =>
      prepare('request_withdrawal', input, clientIp, { amount: u64('amount', input.amount) }),
    cancelWithdrawal: (input: OwnerInput, clientIp: string) => prepare('cancel_withdrawal', input, clientIp),
    /** To the owner's associated USDC account. Throws NOT_READY. */
    completeWithdrawal: (input: OwnerInput, clientIp: string) =>
      prepare('complete_withdrawal', input, clientIp, {}, (_, owner) => tokenAccounts(owner)),
    /** Throws STAKE_NOT_FOUND and NOT_READY. */
    closeStake: (input: OwnerInput, clientIp: string) =>
      prepare('close_stake', input, clientIp, {}, async (agent, owner) => ({
        ...(await tokenAccounts(owner)),
        rentPayer: await readRentPayer(kysely, 'stakes', agent),
      })),
  }
}
