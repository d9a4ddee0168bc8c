import { registryIdl } from '@agent-registry/program'
import type { Message } from '@agent-registry/solana'

/** The service puts this many compute-budget instructions before the client's. */
const BUDGET_INSTRUCTIONS = 2

/**
 * Describes the error of a failed transaction, `"BlockhashNotFound"` or
 * `{ InstructionError: [2, { Custom: 6001 }] }`, in words. Instruction 0 is the client's first one.
 */
export function transactionErrorText(error: unknown, message: Message, registryProgram: string): string {
  if (typeof error === 'string') return toWords(error)
  const failed = (error as Record<string, unknown> | null)?.InstructionError
  if (!Array.isArray(failed)) return toWords(Object.keys(error ?? {})[0] ?? 'Unknown error')
  const [position, cause] = failed as [number, unknown]
  const index = position - BUDGET_INSTRUCTIONS
  const place = index < 0 ? 'The compute budget' : `Instruction ${index}`
  if (typeof cause === 'string') return `${place}: ${toWords(cause)}`
  const code = (cause as { Custom?: unknown } | null)?.Custom
  if (typeof code !== 'number') return `${place}: ${toWords(Object.keys(cause ?? {})[0] ?? 'unknown error')}`
  const { instructions, staticKeys } = message
  const isRegistry = staticKeys[instructions[position]?.programIdIndex ?? -1] === registryProgram
  const known = isRegistry ? registryIdl.errors.find((each) => each.code === code) : undefined
  if (known === undefined) return `${place}: custom program error 0x${code.toString(16)}`
  return `${place}: ${known.name}: ${known.msg}`
}

/** `BlockhashNotFound` becomes `Blockhash not found`. */
function toWords(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).slice(0, 120)
}
