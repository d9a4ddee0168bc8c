import { type Kysely, sql } from 'kysely'
import { associatedTokenAccount, pubkey, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction, SERVICE_CATEGORIES } from '@agent-registry/program'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import { enumParameter, pubkeyParameter, textParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import type { InstructionInput } from './check-instructions.ts'
import type { PriorityLevel } from './policy.ts'
import type { PreparedTransaction } from './prepared-transaction.ts'
import type { RelayService } from './relay.ts'

type OwnerInput = {
  /** base-58. The owner signs and pays. */
  readonly ownerPubkey: string
  readonly priorityLevel?: PriorityLevel | null
}

/** Lengths in characters. The program limits bytes, so its simulation refuses longer texts. */
const REGISTER_FIELDS = {
  name: textParameter(32),
  serviceCategory: enumParameter(SERVICE_CATEGORIES),
  agentCardUrl: textParameter(200),
  /** SHA-256 of the agent card, 64 hex digits. */
  agentCardHash: sha256,
}
const UPDATE_FIELDS = {
  ...REGISTER_FIELDS,
  /** u64 bit mask in decimal. */
  capabilities: u64,
  version: (parameter: string, value: unknown) => (value === '' ? '' : textParameter(16)(parameter, value)),
}

export type RegisterAgentInput = OwnerInput & { readonly [Field in keyof typeof REGISTER_FIELDS]: string }
export type RegisterSponsoredInput = Omit<RegisterAgentInput, 'priorityLevel'> & {
  readonly inviteCode: string
}
/** Absent fields do not change. */
export type UpdateAgentInput = OwnerInput & {
  readonly [Field in keyof typeof UPDATE_FIELDS]?: string | null
}
/** `amount`: USDC base units (6 decimals), u64 in decimal. */
export type AmountInput = OwnerInput & { readonly amount: string }

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

export type RegistryTransactions = ReturnType<typeof createRegistryTransactions>

/**
 * Prepares registry transactions for clients that do not build instructions, like the MCP tools.
 * They are ordinary prepared transactions: all limits and errors of `prepare` apply.
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
  const build = (
    name: string,
    accounts: Record<string, Pubkey>,
    args: Record<string, unknown>,
  ): InstructionInput => {
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
  const prepare = (
    { ownerPubkey, priorityLevel }: OwnerInput,
    ...instruction: Parameters<typeof build>
  ): Promise<PreparedTransaction> =>
    relay.prepare({ instructions: [build(...instruction)], signerPubkeys: [ownerPubkey], priorityLevel })
  return {
    registerAgent: async (input: RegisterAgentInput) => {
      const owner = readOwner(input)
      const args = readFields(REGISTER_FIELDS, input)
      return prepare(input, 'register_agent', { payer: owner, owner }, args)
    },

    /** The service pays. Throws what `SponsorshipService.register` throws. */
    registerSponsored: async (input: RegisterSponsoredInput, clientIp: string) => {
      const owner = readOwner(input)
      const args = readFields(REGISTER_FIELDS, input)
      // Without a fee payer, the request is refused whatever it contains.
      const instruction = build('register_agent', { payer: feePayer ?? owner, owner }, args)
      const { inviteCode } = input
      return sponsorship.register({ instructions: [instruction], signerPubkey: owner, inviteCode }, clientIp)
    },

    /** Throws INVALID_REQUEST if nothing changes, or only one of agentCardUrl and agentCardHash. */
    updateAgent: async (input: UpdateAgentInput) => {
      const owner = readOwner(input)
      return prepare(input, 'update_agent', { owner }, readChanges(input))
    },

    /** From the owner's associated USDC account. Throws NOT_READY. */
    deposit: async (input: AmountInput) => {
      const owner = readOwner(input)
      const amount = u64('amount', input.amount)
      const usdcMint = await readUsdcMint(kysely)
      const ownerToken = associatedTokenAccount(owner, usdcMint)
      const accounts = { payer: owner, owner, ownerToken, usdcMint, agent: addresses.agent(owner) }
      return prepare(input, 'deposit', accounts, { amount })
    },

    requestWithdrawal: async (input: AmountInput) => {
      const owner = readOwner(input)
      const accounts = { owner, agent: addresses.agent(owner) }
      return prepare(input, 'request_withdrawal', accounts, { amount: u64('amount', input.amount) })
    },
  }
}

function readOwner({ ownerPubkey }: OwnerInput): Pubkey {
  return pubkeyParameter('ownerPubkey', ownerPubkey)
}

async function readUsdcMint(kysely: Kysely<Database>): Promise<Pubkey> {
  const { rows } = await sql<{ usdc_mint: string }>`select usdc_mint from registry_config`.execute(kysely)
  const [config] = rows
  if (config === undefined) throw new DomainError('NOT_READY', { missing: 'the registry is not initialised' })
  return pubkey(config.usdc_mint)
}

type Reader = (parameter: string, value: unknown) => unknown

function readFields(
  fields: Readonly<Record<string, Reader>>,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(name, input[name])]))
}

function readChanges(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isGiven = (name: string): boolean => input[name] !== undefined && input[name] !== null
  const fields = Object.entries(UPDATE_FIELDS).filter(([name]) => isGiven(name))
  if (fields.length === 0) {
    const problem = `Provide at least one field to change: ${Object.keys(UPDATE_FIELDS).join(', ')}`
    throw new DomainError('INVALID_REQUEST', { problem })
  }
  if (isGiven('agentCardUrl') !== isGiven('agentCardHash'))
    throw new DomainError('INVALID_REQUEST', {
      problem: 'agentCardUrl and agentCardHash must change together',
    })
  return readFields(Object.fromEntries(fields), input)
}

const MAX_U64 = 2n ** 64n - 1n

function u64(parameter: string, value: unknown): bigint {
  const number = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null
  if (number !== null && number <= MAX_U64) return number
  const expected = `an integer from 0 to ${MAX_U64} in decimal text`
  throw new DomainError('INVALID_TYPE', { parameter, expected, value: quoted(value) })
}

function sha256(parameter: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value))
    return new Uint8Array(Buffer.from(value, 'hex'))
  const expected = 'a SHA-256 hash of 64 hex digits'
  throw new DomainError('INVALID_TYPE', { parameter, expected, value: quoted(value) })
}
