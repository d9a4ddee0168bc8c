import {
  type AccountMeta,
  COMPUTE_BUDGET_PROGRAM,
  type NamedInstruction,
  type Pubkey,
  SYSTEM_PROGRAM,
} from '@agent-registry/solana'
import { isSmallOrderKey } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import { RELAY_POLICY } from './limits.ts'

/** An instruction as a client sends it. Keys are base-58, `data` is base64. */
export interface InstructionInput {
  readonly programId: string
  readonly keys: readonly (Omit<AccountMeta, 'pubkey'> & { readonly pubkey: string })[]
  readonly data: string
}

export interface InstructionsInput {
  readonly instructions?: readonly InstructionInput[] | null | undefined
  readonly signerPubkeys?: readonly string[] | null | undefined
}

export interface CheckedRequest {
  readonly instructions: readonly NamedInstruction[]
  /** The first one pays. */
  readonly signers: readonly [Pubkey, ...Pubkey[]]
}

/** How the data of AdvanceNonceAccount starts. With it a transaction never expires. */
const ADVANCE_NONCE = 4

/** Throws INSTRUCTIONS_REQUIRED, SIGNERS_REQUIRED, and what `readInstructions` throws. */
export function readRequest(
  { instructions, signerPubkeys }: InstructionsInput,
  allowedPrograms: ReadonlySet<Pubkey>,
): { instructions: NamedInstruction[]; signers: Pubkey[] } {
  if (!instructions?.length) throw new DomainError('INSTRUCTIONS_REQUIRED')
  if (!signerPubkeys?.length) throw new DomainError('SIGNERS_REQUIRED')
  return {
    instructions: readInstructions(instructions, allowedPrograms),
    signers: signerPubkeys.map((each, i) => pubkeyParameter(`signerPubkeys[${i}]`, each)),
  }
}

/**
 * Throws TOO_MANY_INSTRUCTIONS, INVALID_PUBKEY, INVALID_BASE64, COMPUTE_BUDGET_GIVEN,
 * PROGRAM_NOT_ALLOWED, DURABLE_NONCE.
 */
export function readInstructions(inputs: readonly InstructionInput[], allowedPrograms: ReadonlySet<Pubkey>) {
  const max = RELAY_POLICY.maxInstructions
  if (inputs.length > max) throw new DomainError('TOO_MANY_INSTRUCTIONS', { max, count: inputs.length })
  const instructions = inputs.map(readInstruction)
  for (const instruction of instructions) checkProgram(instruction, allowedPrograms)
  return instructions
}

function readInstruction(input: InstructionInput, index: number): NamedInstruction {
  const path = `instructions[${index}]`
  return {
    programId: pubkeyParameter(`${path}.programId`, input.programId),
    keys: input.keys.map(({ pubkey, isSigner, isWritable }, i) => ({
      pubkey: pubkeyParameter(`${path}.keys[${i}].pubkey`, pubkey),
      isSigner,
      isWritable,
    })),
    data: base64Parameter(`${path}.data`, input.data),
  }
}

function base64Parameter(parameter: string, text: string): Uint8Array {
  const bytes = decodeBase64(text)
  if (bytes === null) throw new DomainError('INVALID_BASE64', { parameter, value: quoted(text) })
  return bytes
}

/** Strict base64 with padding: one text for one sequence of bytes. Null for anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : null
}

/** For the codec of the registry, which throws these for bytes that it cannot read. */
export function nullIfMalformed<Decoded>(decode: () => Decoded): Decoded | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return null
    throw error
  }
}

function checkProgram({ programId, data }: NamedInstruction, allowed: ReadonlySet<Pubkey>): void {
  if (programId === COMPUTE_BUDGET_PROGRAM) throw new DomainError('COMPUTE_BUDGET_GIVEN')
  if (!allowed.has(programId)) throw new DomainError('PROGRAM_NOT_ALLOWED', { program: programId })
  const kind = data.length >= 4 ? Buffer.from(data.subarray(0, 4)).readUInt32LE() : null
  if (programId === SYSTEM_PROGRAM && kind === ADVANCE_NONCE) throw new DomainError('DURABLE_NONCE')
}

/**
 * The signers must be exactly those that the instructions require, and the first one, who pays.
 * Throws REPEATED_SIGNER, CANNOT_SIGN, SIGNER_MISSING, SIGNER_NOT_NEEDED.
 */
export function checkSigners(signers: readonly Pubkey[], instructions: readonly NamedInstruction[]) {
  const unique = new Set(signers)
  if (unique.size < signers.length) throw new DomainError('REPEATED_SIGNER')
  const programs = new Set(instructions.map((each) => each.programId))
  for (const key of signers) {
    if (isSmallOrderKey(key) || programs.has(key)) throw new DomainError('CANNOT_SIGN', { key })
  }
  const accounts = instructions.flatMap(({ keys }) => keys)
  const required = new Set(accounts.filter((each) => each.isSigner).map((each) => each.pubkey))
  for (const key of required) {
    if (!unique.has(key)) throw new DomainError('SIGNER_MISSING', { key })
  }
  for (const key of signers.slice(1)) {
    if (!required.has(key)) throw new DomainError('SIGNER_NOT_NEEDED', { key })
  }
  return [...signers] as [Pubkey, ...Pubkey[]]
}
