import { type Kysely, sql } from 'kysely'
import { associatedTokenAccount, pubkey, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction, SERVICE_CATEGORIES } from '@agent-registry/program'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import { enumParameter, optional, pubkeyParameter, textParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import type { PriorityLevel } from './policy.ts'
import type { PreparedTransaction } from './prepared-transaction.ts'
import type { RelayService } from './relay.ts'

interface OwnerInput {
  /** base-58. The owner signs and pays. */
  readonly ownerPubkey: string
  readonly priorityLevel?: PriorityLevel | null
}

interface AgentFields {
  /** 1 to 32 bytes of UTF-8. */
  readonly name: string
  readonly serviceCategory: string
  /** 1 to 200 bytes. */
  readonly agentCardUrl: string
  /** SHA-256 of the agent card, 64 hex digits. */
  readonly agentCardHash: string
}

export type RegisterAgentInput = OwnerInput & AgentFields

type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null }

/** Absent fields do not change. agentCardUrl and agentCardHash change together. */
export interface UpdateAgentInput extends OwnerInput, Optional<AgentFields> {
  /** u64 bit mask in decimal. */
  readonly capabilities?: string | null
  /** 0 to 16 bytes. */
  readonly version?: string | null
}

export interface AmountInput extends OwnerInput {
  /** USDC base units (6 decimals), u64 in decimal. */
  readonly amount: string
}

/**
 * Prepares registry transactions for clients that do not build instructions, like the MCP tools. They
 * are ordinary prepared transactions: all limits and errors of `prepare` apply.
 */
export interface RegistryTransactions {
  registerAgent(input: RegisterAgentInput): Promise<PreparedTransaction>
  /** Throws INVALID_REQUEST if nothing changes, or if only one of agentCardUrl and agentCardHash does. */
  updateAgent(input: UpdateAgentInput): Promise<PreparedTransaction>
  /** From the owner's associated USDC account. Throws NOT_READY. */
  deposit(input: AmountInput): Promise<PreparedTransaction>
  requestWithdrawal(input: AmountInput): Promise<PreparedTransaction>
}

export function createRegistryTransactions(options: {
  readonly kysely: Kysely<Database>
  readonly relay: Pick<RelayService, 'prepare'>
  readonly program: Pubkey
}): RegistryTransactions {
  const { kysely, relay, program } = options
  const addresses = registryAddresses(program)
  const prepare = (
    { ownerPubkey, priorityLevel }: OwnerInput,
    name: string,
    accounts: Record<string, Pubkey>,
    args: Record<string, unknown>,
  ): Promise<PreparedTransaction> => {
    const { programId, keys, data } = registryInstruction(program, name, accounts, args)
    const instruction = {
      programId: programId.toBase58(),
      keys: keys.map(({ pubkey, isSigner, isWritable }) => ({
        pubkey: pubkey.toBase58(),
        isSigner,
        isWritable,
      })),
      data: data.toString('base64'),
    }
    return relay.prepare({ instructions: [instruction], signerPubkeys: [ownerPubkey], priorityLevel })
  }

  return {
    registerAgent: async (input) => {
      const owner = readOwner(input)
      return prepare(input, 'register_agent', { payer: owner, owner }, registerArguments(input))
    },
    updateAgent: async (input) =>
      prepare(input, 'update_agent', { owner: readOwner(input) }, updateArguments(input)),
    deposit: async (input) => {
      const owner = readOwner(input)
      const amount = u64('amount', input.amount)
      const usdcMint = await readUsdcMint(kysely)
      const ownerToken = associatedTokenAccount(owner, usdcMint)
      const accounts = { payer: owner, owner, ownerToken, usdcMint, agent: addresses.agent(owner) }
      return prepare(input, 'deposit', accounts, { amount })
    },
    requestWithdrawal: async (input) => {
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

/** Limits in characters. The program limits bytes, so that its simulation refuses longer texts. */
const name = textParameter(32)
const url = textParameter(200)
const version = textParameter(16)
const category = enumParameter(SERVICE_CATEGORIES)

function registerArguments(input: RegisterAgentInput) {
  return {
    name: name('name', input.name),
    serviceCategory: category('serviceCategory', input.serviceCategory),
    agentCardUrl: url('agentCardUrl', input.agentCardUrl),
    agentCardHash: sha256('agentCardHash', input.agentCardHash),
  }
}

function updateArguments(input: UpdateAgentInput) {
  const changes = {
    name: optional(name, 'name', input.name),
    serviceCategory: optional(category, 'serviceCategory', input.serviceCategory),
    capabilities: optional(u64, 'capabilities', input.capabilities),
    version: input.version === '' ? '' : optional(version, 'version', input.version),
    agentCardUrl: optional(url, 'agentCardUrl', input.agentCardUrl),
    agentCardHash: optional(sha256, 'agentCardHash', input.agentCardHash),
  }
  if (Object.values(changes).every((each) => each === undefined)) {
    throw new DomainError('INVALID_REQUEST', {
      problem: `Provide at least one field to change: ${Object.keys(changes).join(', ')}`,
    })
  }
  if ((changes.agentCardUrl === undefined) !== (changes.agentCardHash === undefined))
    throw new DomainError('INVALID_REQUEST', {
      problem: 'agentCardUrl and agentCardHash must change together',
    })
  return changes
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
