import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { pubkeyParameter, requiredText } from '../domain/parameters.ts'
import { type InstructionInput, readInstructions } from '../relay/check-instructions.ts'
import type { BuildTransaction, PreparedTransaction } from '../relay/prepared-transaction.ts'
import { checkAndBuild } from './check-and-build.ts'
import { checkRegistration } from './check-instructions.ts'
import type { SponsorContext } from './context.ts'
import { inviteCodeHash } from './invite-code.ts'

export interface RegisterInput {
  /** One register_agent. */
  readonly instructions?: readonly InstructionInput[] | null
  /** The agent's owner. */
  readonly signerPubkey?: string | null
  readonly inviteCode?: string | null
}

/**
 * Prepares the registration of an agent. The service pays rent and network fee. Throws
 * FIELD_REQUIRED, FEE_PAYER_EXPECTED, FEE_PAYER_MISUSED, NOT_SPONSORED, INVITE_CODE_INVALID,
 * WALLET_SPONSORED, REGISTRATION_OPEN, AGENT_EXISTS, SPONSOR_CLIENT_LIMIT, SPONSOR_BUDGET_USED,
 * SPONSOR_BALANCE_LOW, LEDGER_UNAVAILABLE, and what POST /relay/prepare throws.
 */
export async function register(
  input: RegisterInput,
  clientIp: string,
  build: BuildTransaction,
  context: SponsorContext | null,
): Promise<PreparedTransaction> {
  if (context === null) throw new DomainError('SPONSORSHIP_OFF')
  if (!input.instructions?.length) throw new DomainError('INSTRUCTIONS_REQUIRED')
  const signerPubkey = requiredText('signerPubkey', input.signerPubkey)
  const inviteCode = requiredText('inviteCode', input.inviteCode)
  const feePayer = context.signer.pubkey
  const instructions = readInstructions(input.instructions, new Set([context.registryProgram]))
  const wallet = pubkeyParameter('signerPubkey', signerPubkey)
  if (wallet === feePayer)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: 'signerPubkey' })
  checkRegistration(instructions, { feePayer, wallet }, context.addresses)
  const request = {
    kind: 'registration',
    wallet,
    agentPda: context.addresses.agent(wallet),
    codeHash: inviteCodeHash(inviteCode) ?? '',
    clientNetwork: clientNetwork(clientIp),
  } as const
  return checkAndBuild({ request, instructions, level: 'medium' }, build, context)
}
