import type { Pubkey } from '@agent-registry/solana'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { readRequest } from '../relay/check-instructions.ts'
import { readPriorityLevel } from '../relay/prepare.ts'
import type { BuildTransaction, PreparedTransaction, PrepareInput } from '../relay/prepared-transaction.ts'
import { checkTransaction } from './check-instructions.ts'
import type { SponsorContext } from './context.ts'
import { reserveAndBuild } from './reserve-and-build.ts'

/**
 * Prepares a transaction whose network fee the service pays: instructions of the policy, signed by
 * one wallet. Throws ONE_WALLET_SIGNS, FEE_PAYER_MISUSED, NOT_SPONSORED, REGISTRATION_NEEDS_CODE,
 * SPONSOR_WALLET_LIMIT, SPONSOR_BUDGET_USED, SPONSOR_BALANCE_LOW, and what POST /relay/prepare
 * throws.
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
  const network = clientNetwork(clientIp)
  const request = { kind: 'transaction', wallet, codeHash: null, clientNetwork: network } as const
  return reserveAndBuild({ request, instructions, level, agentPda: null }, build, context)
}

function soleSigner(signers: readonly Pubkey[], feePayer: Pubkey): Pubkey {
  const index = signers.indexOf(feePayer)
  if (index >= 0)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: `signerPubkeys[${index}]` })
  const [wallet] = signers
  if (wallet === undefined || signers.length > 1) throw new DomainError('ONE_WALLET_SIGNS')
  return wallet
}
