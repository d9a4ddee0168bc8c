import { COMPUTE_BUDGET_PROGRAM, type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { pubkeyParameter } from '../domain/parameters.ts'
import { isSmallOrderKey } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import { type Instruction, type InstructionInput, readInstruction } from './instruction.ts'
import { RELAY_POLICY } from './policy.ts'

/** The System program's AdvanceNonceAccount: a transaction with it does not expire. */
const ADVANCE_NONCE = 4

export interface CheckedRequest {
  readonly instructions: readonly Instruction[]
  /** The first one pays. */
  readonly signers: readonly [Pubkey, ...Pubkey[]]
}

/** All that can be said of a request for a transaction without asking the ledger, in the order of the contract's error table. */
export function checkInstructions(
  input: {
    instructions?: readonly InstructionInput[] | null | undefined
    signerPubkeys?: readonly string[] | null | undefined
  },
  allowedPrograms: ReadonlySet<Pubkey>,
): CheckedRequest {
  const { instructions: given, signerPubkeys } = input
  if (isEmpty(given)) throw new DomainError('INSTRUCTIONS_REQUIRED')
  if (isEmpty(signerPubkeys)) throw new DomainError('SIGNERS_REQUIRED')
  const instructions = readInstructions(given, allowedPrograms)
  const signers = signerPubkeys.map((each, i) => pubkeyParameter(`signerPubkeys[${i}]`, each))
  return { instructions, signers: checkSigners(signers, instructions) }
}

export function isEmpty(list: readonly unknown[] | null | undefined): list is null | undefined | readonly [] {
  return list === undefined || list === null || list.length === 0
}

/** Throws TOO_MANY_INSTRUCTIONS, COMPUTE_BUDGET_GIVEN, PROGRAM_NOT_ALLOWED, DURABLE_NONCE, and what `readInstruction` throws. */
export function readInstructions(
  given: readonly InstructionInput[],
  allowedPrograms: ReadonlySet<Pubkey>,
): Instruction[] {
  const max = RELAY_POLICY.maxInstructions
  if (given.length > max) throw new DomainError('TOO_MANY_INSTRUCTIONS', { max, count: given.length })
  const instructions = given.map(readInstruction)
  for (const instruction of instructions) checkProgram(instruction, allowedPrograms)
  return instructions
}

function checkProgram({ programId, data }: Instruction, allowed: ReadonlySet<Pubkey>): void {
  if (programId === COMPUTE_BUDGET_PROGRAM) throw new DomainError('COMPUTE_BUDGET_GIVEN')
  if (!allowed.has(programId)) throw new DomainError('PROGRAM_NOT_ALLOWED', { program: programId })
  const kind = data.length >= 4 ? Buffer.from(data.subarray(0, 4)).readUInt32LE() : null
  if (programId === SYSTEM_PROGRAM && kind === ADVANCE_NONCE) throw new DomainError('DURABLE_NONCE')
}

/** The signers are those that the instructions need, and the first, who pays: no fewer, no more. */
export function checkSigners(
  signers: readonly Pubkey[],
  instructions: readonly Instruction[],
): [Pubkey, ...Pubkey[]] {
  const known = new Set(signers)
  if (known.size < signers.length) throw new DomainError('REPEATED_SIGNER')
  const programs = new Set(instructions.map((each) => each.programId))
  for (const signer of signers) {
    if (isSmallOrderKey(signer) || programs.has(signer)) throw new DomainError('CANNOT_SIGN', { key: signer })
  }
  const needed = new Set(
    instructions.flatMap(({ keys }) => keys.filter((each) => each.isSigner).map((each) => each.pubkey)),
  )
  for (const key of needed) {
    if (!known.has(key)) throw new DomainError('SIGNER_MISSING', { key })
  }
  for (const key of signers.slice(1)) {
    if (!needed.has(key)) throw new DomainError('SIGNER_NOT_NEEDED', { key })
  }
  return [...signers] as [Pubkey, ...Pubkey[]]
}
