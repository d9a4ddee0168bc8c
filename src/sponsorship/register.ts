import { clientNetwork } from '../domain/client-network.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { isEmpty, readInstructions } from '../relay/check-instructions.ts'
import type { InstructionInput } from '../relay/instruction.ts'
import type { BuildTransaction, PreparedTransactionView } from '../relay/prepare.ts'
import { checkRegistration } from './check-instructions.ts'
import type { SponsorContext } from './context.ts'
import { inviteCodeHash } from './invite-code.ts'
import { required } from './required.ts'
import { sponsorTransaction } from './reserve-and-build.ts'

export interface RegisterInput {
  /** One register_agent. */
  readonly instructions?: readonly InstructionInput[] | null
  /** The agent's owner. */
  readonly signerPubkey?: string | null
  readonly inviteCode?: string | null
}

/**
 * Prepares the registration of an agent of which the service pays rent and fee. Throws INSTRUCTIONS_REQUIRED, FIELD_REQUIRED,
 * FEE_PAYER_EXPECTED, FEE_PAYER_MISUSED, NOT_SPONSORED, INVITE_CODE_INVALID, WALLET_SPONSORED, REGISTRATION_OPEN, AGENT_EXISTS,
 * SPONSOR_CLIENT_LIMIT, SPONSOR_BUDGET_USED, SPONSOR_BALANCE_LOW, SIMULATION_FAILED, PREPARE_FAILED, LEDGER_UNAVAILABLE.
 */
export async function register(
  input: RegisterInput,
  clientIp: string,
  build: BuildTransaction,
  context: SponsorContext,
): Promise<PreparedTransactionView> {
  if (isEmpty(input.instructions)) throw new DomainError('INSTRUCTIONS_REQUIRED')
  const signerPubkey = required('signerPubkey', input.signerPubkey)
  const inviteCode = required('inviteCode', input.inviteCode)
  const feePayer = context.signer.pubkey
  const instructions = readInstructions(input.instructions, new Set([context.registryProgram]))
  const wallet = pubkeyParameter('signerPubkey', signerPubkey)
  if (wallet === feePayer)
    throw new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: 'signerPubkey' })
  checkRegistration(instructions, { feePayer, wallet }, context.addresses)
  const applicant = {
    kind: 'registration',
    wallet,
    codeHash: inviteCodeHash(inviteCode) ?? '',
    clientNetwork: clientNetwork(clientIp),
  } as const
  const agentPda = context.addresses.agent(wallet)
  return sponsorTransaction({ applicant, instructions, level: 'medium', agentPda }, build, context)
}
