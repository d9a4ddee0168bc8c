import type { TransactionInstruction } from '@solana/web3.js'
import { type Kysely, sql } from 'kysely'
import { associatedTokenAccount, pubkey, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction } from '@agent-registry/program'
import type { Database } from '../db/database.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import type { PreparedTransactionView } from './prepare.ts'
import type { RelayService } from './relay.ts'
import { registerArguments, u64, updateArguments } from './registry-transactions/arguments.ts'
import type { AmountInput, RegisterAgentInput, UpdateAgentInput } from './registry-transactions/inputs.ts'

/**
 * Prepares the registry's transactions for clients that do not build instructions themselves. Each is an ordinary prepared transaction, which the
 * owner signs and pays; all of `prepare`'s errors apply.
 */
export interface RegistryTransactions {
  registerAgent(input: RegisterAgentInput): Promise<PreparedTransactionView>
  updateAgent(input: UpdateAgentInput): Promise<PreparedTransactionView>
  /** From the owner's associated USDC account. */
  deposit(input: AmountInput): Promise<PreparedTransactionView>
  requestWithdrawal(input: AmountInput): Promise<PreparedTransactionView>
}

export function createRegistryTransactions(options: {
  readonly kysely: Kysely<Database>
  readonly relay: Pick<RelayService, 'prepare'>
  readonly program: Pubkey
}): RegistryTransactions {
  const { kysely, relay, program } = options
  const addresses = registryAddresses(program)
  const prepare = (
    instruction: TransactionInstruction,
    owner: Pubkey,
    priorityLevel: string | null | undefined,
  ): Promise<PreparedTransactionView> =>
    relay.prepare({
      instructions: [
        {
          programId: instruction.programId.toBase58(),
          keys: instruction.keys.map(({ pubkey, ...flags }) => ({ pubkey: pubkey.toBase58(), ...flags })),
          data: instruction.data.toString('base64'),
        },
      ],
      signerPubkeys: [owner],
      priorityLevel,
    })

  return {
    registerAgent: (input) => {
      const owner = ownerOf(input)
      const accounts = { payer: owner, owner }
      const instruction = registryInstruction(program, 'register_agent', accounts, registerArguments(input))
      return prepare(instruction, owner, input.priorityLevel)
    },
    updateAgent: (input) => {
      const owner = ownerOf(input)
      const instruction = registryInstruction(program, 'update_agent', { owner }, updateArguments(input))
      return prepare(instruction, owner, input.priorityLevel)
    },
    deposit: async (input) => {
      const owner = ownerOf(input)
      const amount = u64('amount', input.amount)
      const usdcMint = await mintOf(kysely)
      const ownerToken = associatedTokenAccount(owner, usdcMint)
      const accounts = { payer: owner, owner, ownerToken, usdcMint, agent: addresses.agent(owner) }
      return prepare(
        registryInstruction(program, 'deposit', accounts, { amount }),
        owner,
        input.priorityLevel,
      )
    },
    requestWithdrawal: (input) => {
      const owner = ownerOf(input)
      const accounts = { owner, agent: addresses.agent(owner) }
      const args = { amount: u64('amount', input.amount) }
      return prepare(
        registryInstruction(program, 'request_withdrawal', accounts, args),
        owner,
        input.priorityLevel,
      )
    },
  }
}

function ownerOf({ ownerPubkey }: { ownerPubkey: string }): Pubkey {
  return pubkeyParameter('ownerPubkey', ownerPubkey)
}

async function mintOf(kysely: Kysely<Database>): Promise<Pubkey> {
  const { rows } = await sql<{ usdc_mint: string }>`select usdc_mint from registry_config`.execute(kysely)
  const [config] = rows
  if (config === undefined) throw new DomainError('NOT_READY', { missing: 'the registry is not initialised' })
  return pubkey(config.usdc_mint)
}
