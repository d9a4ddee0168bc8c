import type { Pubkey } from '@agent-registry/solana'
import { clientNetwork } from '../domain/client-network.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { isEmpty, readInstructions } from '../relay/check-instructions.ts'
import {
  type BuildTransaction,
  type PreparedTransactionView,
  type PrepareInput,
  readPriorityLevel,
} from '../relay/prepare.ts'
import { checkTransaction } from './check-instructions.ts'
import type { SponsorContext } from './context.ts'
import { sponsorTransaction } from './reserve-and-build.ts'

/**
 * Prepares a transaction of which the service pays the network fee: instructions of the policy, signed by one wallet. Throws
 * INSTRUCTIONS_REQUIRED, SIGNERS_REQUIRED, ONE_WALLET_SIGNS, FEE_PAYER_MISUSED, NOT_SPONSORED, REGISTRATION_NEEDS_CODE,
 * SPONSOR_WALLET_LIMIT, SPONSOR_BUDGET_USED, SPONSOR_BALANCE_LOW, and what POST /relay/prepare throws.
 */
export async function prepareSponsored(
  { instructions: given, signerPubkeys, priorityLevel }: PrepareInput,
  clientIp: string,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransactionView> {
  if (isEmpty(given)) throw new DomainError('INSTRUCTIONS_REQUIRED')
  if (isEmpty(signerPubkeys)) throw new DomainError('SIGNERS_REQUIRED')
  const feePayer = context.signer.pubkey
  const instructions = readInstructions(given, new Set([context.registryProgram]))
  const signers = signerPubkeys.map((each, i) => pubkeyParameter(`signerPubkeys[${i}]`, each))
  const wallet = soleWallet(signers, feePayer)
  checkTransaction(instructions, { feePayer, wallet })
  const level = readPriorityLevel(priorityLevel)
  const network = clientNetwork(clientIp)
  const applicant = { kind: 'transaction', wallet, codeHash: null, clientNetwork: network } as const
  return sponsorTransaction({ applicant, instructions, level, agentPda: null }, build, context)
}

function soleWallet(signers: readonly Pubkey[], feePayer: Pubkey): Pubkey {
  const misused = signers.indexOf(feePayer)
  if (misused >= 0)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: `signerPubkeys[${misused}]` })
  const [wallet] = signers
  if (wallet === undefined || signers.length > 1) throw new DomainError('ONE_WALLET_SIGNS')
  return wallet
}
