import type { NamedInstruction } from '@agent-registry/solana'
import { pubkeyParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import { DomainError } from '../domain/errors.ts'

export interface AccountMetaInput {
  readonly pubkey: string
  readonly isSigner: boolean
  readonly isWritable: boolean
}

/** An instruction as a client sends it; `data` is base64. */
export interface InstructionInput {
  readonly programId: string
  readonly keys: readonly AccountMetaInput[]
  readonly data: string
}

export type Instruction = NamedInstruction

/** Reads one instruction; throws INVALID_PUBKEY and INVALID_BASE64, naming the place. */
export function readInstruction(input: InstructionInput, at: number): Instruction {
  const place = `instructions[${at}]`
  return {
    programId: pubkeyParameter(`${place}.programId`, input.programId),
    keys: input.keys.map(({ pubkey, isSigner, isWritable }, i) => ({
      pubkey: pubkeyParameter(`${place}.keys[${i}].pubkey`, pubkey),
      isSigner,
      isWritable,
    })),
    data: base64Parameter(`${place}.data`, input.data),
  }
}

/** Strict base64 with padding: one text for one sequence of bytes. */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : null
}

function base64Parameter(parameter: string, text: string): Uint8Array {
  const bytes = decodeBase64(text)
  if (bytes === null) throw new DomainError('INVALID_BASE64', { parameter, value: quoted(text) })
  return bytes
}
