import { registryIdl } from '@agent-registry/program'
/** The instructions of the compute budget come before the client's. */
const OWN_INSTRUCTIONS = 2

/**
 * What the ledger says of a failed transaction, `"BlockhashNotFound"` or `{ InstructionError: [2, { Custom: 6001 }] }`, in words,
 * counting instructions as the client sent them. `programs` are those that the transaction calls, in order.
 */
export function transactionErrorText(error: unknown, programs: readonly string[], registry: string): string {
  if (typeof error === 'string') return spaced(error)
  const failed = (error as Record<string, unknown> | null)?.InstructionError
  if (!Array.isArray(failed)) {
    const [kind] = Object.keys(error ?? {})
    return kind === undefined ? 'Unknown error' : spaced(kind)
  }
  const [position, cause] = failed as [number, unknown]
  const index = position - OWN_INSTRUCTIONS
  const place = index < 0 ? 'The compute budget' : `Instruction ${index}`
  if (typeof cause === 'string') return `${place}: ${spaced(cause)}`
  const code = (cause as { Custom?: unknown } | null)?.Custom
  if (typeof code !== 'number') return `${place}: ${spaced(Object.keys(cause ?? {})[0] ?? 'unknown error')}`
  const known =
    programs[position] === registry ? registryIdl.errors.find((each) => each.code === code) : undefined
  return known === undefined
    ? `${place}: custom program error 0x${code.toString(16)}`
    : `${place}: ${known.name}: ${known.msg}`
}

/** `BlockhashNotFound` as `Blockhash not found`. */
function spaced(name: string): string {
  const words = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.slice(0, 120)
}
