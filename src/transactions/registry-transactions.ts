import { type Kysely, sql } from 'kysely'
import { registryAddresses, registryInstruction, SERVICE_CATEGORIES } from '@agent-registry/program'
import { associatedTokenAccount, pubkey, type Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import { AGENT_LIMITS } from '../domain/agent-limits.ts'
import { DomainError } from '../domain/errors.ts'
import { enumParameter, pubkeyParameter, sha256Parameter, textParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import type { PreparedTransaction } from './build.ts'
import type { InstructionInput } from './check-request.ts'
import type { PriorityLevel } from './limits.ts'
import type { Transactions } from './transactions.ts'
import { readUsdcMint } from './wallets.ts'

interface OwnerInput {
  /** base-58. The owner signs and pays. */
  readonly ownerPubkey: string
  readonly priorityLevel?: PriorityLevel | null
  /** True to let the service pay the network fee, as in POST /relay/prepare/sponsored. */
  readonly sponsored?: boolean | null
}

type RegisterAgentInput = Omit<OwnerInput, 'sponsored'> & {
  readonly [Field in keyof typeof REGISTER_FIELDS]: string
} & {
  /** With it the service pays, as in POST /sponsor/register. */
  readonly inviteCode?: string | null
}
/** Absent fields do not change. */
type UpdateAgentInput = OwnerInput & {
  readonly [Field in keyof typeof UPDATE_FIELDS]?: string | null
}
/** `amount`: USDC base units (6 decimals), u64 in decimal. */
type AmountInput = OwnerInput & { readonly amount: string }

type Accounts = Readonly<Record<string, Pubkey>>
type Arguments = Readonly<Record<string, unknown>>

interface RegistryTransactionsOptions {
  readonly kysely: Kysely<Database>
  readonly transactions: Pick<
    Transactions,
    'prepare' | 'prepareSponsored' | 'prepareRegistration' | 'feePayer'
  >
  readonly program: Pubkey
}

/**
 * Prepares the transactions of an agent's owner for clients that do not build instructions. They
 * are ordinary prepared transactions: all limits and errors of `prepare` apply. Each method throws
 * INVALID_PUBKEY as well.
 */
export function createRegistryTransactions(options: RegistryTransactionsOptions) {
  const { kysely, transactions, program } = options
  const prepare = prepareWith(options)

  /** The owner's associated token account. */
  const tokenAccounts = async (owner: Pubkey) => {
    const usdcMint = await readUsdcMint(kysely)
    return { usdcMint, ownerToken: associatedTokenAccount(owner, usdcMint) }
  }

  return {
    /** With an invite code the service pays. */
    registerAgent: async (
      { inviteCode, ...input }: RegisterAgentInput,
      clientIp: string,
    ): Promise<PreparedTransaction> => {
      const fields = () => readFields(REGISTER_FIELDS, input)
      if (inviteCode === undefined || inviteCode === null)
        return prepare('register_agent', input, clientIp, fields())
      const owner = pubkeyParameter('ownerPubkey', input.ownerPubkey)
      // Without a fee payer, the request is refused whatever it contains.
      const accounts = { payer: transactions.feePayer ?? owner, owner }
      const instructions = [instruction(program, 'register_agent', accounts, fields())]
      return transactions.prepareRegistration({ instructions, signerPubkey: owner, inviteCode }, clientIp)
    },
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

/** Prepares one instruction. `accounts` are those that do not follow from the owner. */
function prepareWith({ transactions, program }: RegistryTransactionsOptions) {
  const addresses = registryAddresses(program)
  return async (
    name: string,
    { ownerPubkey, priorityLevel, sponsored }: OwnerInput,
    clientIp: string,
    args: Arguments = {},
    accounts: (agent: Pubkey, owner: Pubkey) => Accounts | Promise<Accounts> = () => ({}),
  ): Promise<PreparedTransaction> => {
    const owner = pubkeyParameter('ownerPubkey', ownerPubkey)
    const agent = addresses.agent(owner)
    const all = { owner, authority: owner, payer: owner, agent, ...(await accounts(agent, owner)) }
    const instructions = [instruction(program, name, all, args)]
    const input = { instructions, signerPubkeys: [owner], priorityLevel }
    return sponsored === true ? transactions.prepareSponsored(input, clientIp) : transactions.prepare(input)
  }
}

function instruction(program: Pubkey, name: string, accounts: Accounts, args: Arguments): InstructionInput {
  const { programId, keys, data } = registryInstruction(program, name, accounts, args)
  return {
    programId: programId.toBase58(),
    keys: keys.map(({ pubkey: key, isSigner, isWritable }) => ({
      pubkey: key.toBase58(),
      isSigner,
      isWritable,
    })),
    data: data.toString('base64'),
  }
}

type Reader = (parameter: string, value: unknown) => unknown

/** Lengths in characters. The program limits bytes, so its simulation refuses longer texts. */
const REGISTER_FIELDS = {
  name: textParameter(AGENT_LIMITS.nameBytes),
  serviceCategory: enumParameter(SERVICE_CATEGORIES),
  agentCardUrl: textParameter(AGENT_LIMITS.cardUrlBytes),
  /** SHA-256 of the agent card, 64 hex digits. */
  agentCardHash: (parameter: string, value: unknown) =>
    new Uint8Array(Buffer.from(sha256Parameter(parameter, value), 'hex')),
}
const UPDATE_FIELDS = {
  ...REGISTER_FIELDS,
  /** u64 bit mask in decimal. */
  capabilities: u64,
  version: (parameter: string, value: unknown) =>
    value === '' ? '' : textParameter(AGENT_LIMITS.versionBytes)(parameter, value),
}

function readFields(fields: Readonly<Record<string, Reader>>, given: object): Arguments {
  const input = given as Arguments
  return Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(name, input[name])]))
}

function readChanges(given: object): Arguments {
  const input = given as Arguments
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

const RENT_PAYERS = {
  agents: { key: 'pda', missing: 'AGENT_NOT_FOUND' },
  stakes: { key: 'agent_pda', missing: 'STAKE_NOT_FOUND' },
} as const

/** Who paid the rent of an agent's account, or of its stake, and gets it back. */
async function readRentPayer(kysely: Kysely<Database>, table: keyof typeof RENT_PAYERS, agent: Pubkey) {
  const { key, missing } = RENT_PAYERS[table]
  const { rows } = await sql<{ rent_payer: string }>`
    select rent_payer from ${sql.table(table)} where ${sql.ref(key)} = ${agent}`.execute(kysely)
  if (rows[0] === undefined) throw new DomainError(missing)
  return pubkey(rows[0].rent_payer)
}
