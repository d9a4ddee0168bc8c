import type { Pubkey } from '@agent-registry/solana'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { readRequest } from '../relay/check-instructions.ts'
import { readPriorityLevel } from '../relay/prepare.ts'
import type { BuildTransaction, PreparedTransaction, PrepareInput } from '../relay/prepared-transaction.ts'
import { checkAndBuild } from './check-and-build.ts'
import { checkTransaction } from './check-instructions.ts'
import type { SponsorContext } from './context.ts'

/**
 * Prepares a transaction whose network fee the service pays: instructions of the policy, signed by
 * one wallet for its own agent. Throws ONE_WALLET_SIGNS, FEE_PAYER_MISUSED, NOT_SPONSORED,
 * REGISTRATION_NEEDS_CODE, AGENT_NOT_SPONSORED, SPONSOR_WALLET_LIMIT,
 * SPONSOR_CLIENT_TRANSACTION_LIMIT, SPONSOR_BUDGET_USED, SPONSOR_BALANCE_LOW, and what POST
 * /relay/prepare throws.
 */
export async function prepareSponsored(
  input: PrepareInput,
  clientIp: string,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransaction> {
  const feePayer = context.signer.pubkey
  const { instructions, signers } = readRequest(input, new Set([context.registryProgram]))
  const wallet = soleSigner(signers, feePayer)
  checkTransaction(instructions, { feePayer, wallet }, context.addresses)
  const level = readPriorityLevel(input.priorityLevel)
  const request = {
    kind: 'transaction',
    wallet,
    agentPda: context.addresses.agent(wallet),
    codeHash: null,
    clientNetwork: clientNetwork(clientIp),
  } as const
  return checkAndBuild({ request, instructions, level }, build, context)
}

function soleSigner(signers: readonly Pubkey[], feePayer: Pubkey): Pubkey {
  const index = signers.indexOf(feePayer)
  if (index >= 0)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: `signerPubkeys[${index}]` })
  const [wallet] = signers
  if (wallet === undefined || signers.length > 1) throw new DomainError('ONE_WALLET_SIGNS')
  return wallet
}
