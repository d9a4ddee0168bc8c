import { registryIdl } from '@agent-registry/program'
import type { Message } from '@agent-registry/solana'

const ACCOUNT_NAMES = new Set(
  registryIdl.instructions.flatMap(({ accounts }) => accounts.map((each) => each.name)),
)

/** The service puts this many compute-budget instructions before the client's. */
const BUDGET_INSTRUCTIONS = 2

/** The failed instruction of `{ InstructionError: [2, { Custom: 6001 }] }`, or null. */
export function failedInstruction(
  error: unknown,
): { readonly position: number; readonly cause: unknown; readonly code: unknown } | null {
  const failed = (error as Record<string, unknown> | null)?.InstructionError
  if (!Array.isArray(failed)) return null
  const [position, cause] = failed as [number, unknown]
  return { position, cause, code: (cause as { Custom?: unknown } | null)?.Custom }
}

/**
 * Describes `"BlockhashNotFound"` or `{ InstructionError: [2, { Custom: 6001 }] }`. Instruction 0
 * is the client's first one. The logs name the account of a registry error. `reason` says more.
 */
export function transactionErrorText(
  error: unknown,
  message: Message,
  registryProgram: string,
  logs: readonly string[] = [],
  reason?: string,
): string {
  const failed = failedInstruction(error)
  if (failed === null) return reason ?? messageErrorText(error, message)
  const { position, cause, code } = failed
  const index = position - BUDGET_INSTRUCTIONS
  const place = index < 0 ? 'The compute budget' : `Instruction ${index}`
  if (typeof cause === 'string') return `${place}: ${toWords(cause)}`
  if (typeof code !== 'number') return `${place}: ${toWords(Object.keys(cause ?? {})[0] ?? 'unknown error')}`
  const { instructions, staticKeys } = message
  const isRegistry = staticKeys[instructions[position]?.programIdIndex ?? -1] === registryProgram
  const known = isRegistry ? registryIdl.errors.find((each) => each.code === code) : undefined
  if (reason !== undefined) return `${place}: ${known === undefined ? '' : `${known.name}: `}${reason}`
  if (known === undefined) {
    const logged = code === 1 ? reasonInLogs(logs) : undefined
    return `${place}: custom program error 0x${code.toString(16)}${logged === undefined ? '' : `: ${logged}`}`
  }
  const account = accountOf(known.name, logs)
  const hint = known.name === 'InvalidAccountOwner' ? ' It may not exist.' : ''
  return `${place}: ${known.name}: ${known.msg}${hint}${account === undefined ? '' : ` Account: ${account}`}`
}

function messageErrorText(error: unknown, { staticKeys }: Message): string {
  if (error === 'AccountNotFound')
    return `The fee payer ${staticKeys[0]} has no SOL: the account does not exist on the ledger`
  if (error === 'InsufficientFundsForFee')
    return `The fee payer ${staticKeys[0]} has not enough SOL for the network fee`
  return toWords(typeof error === 'string' ? error : (Object.keys(error ?? {})[0] ?? 'Unknown error'))
}

/** The name of the account in the line that the program logged for its error. */
export function accountOf(errorName: string, logs: readonly string[]): string | undefined {
  const start = 'Program log: AnchorError caused by account: '
  const end = `. Error Code: ${errorName}. `
  const line = logs.findLast((each) => each.startsWith(start) && each.includes(end))
  const name = line?.slice(start.length, line.indexOf(end))
  return name !== undefined && ACCOUNT_NAMES.has(name) ? name : undefined
}

/** `BlockhashNotFound` becomes `Blockhash not found`. */
function toWords(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).slice(0, 120)
}

/** The lamports that an account has and needs, from the log of the System program for 0x1. */
export function missingLamports(logs: readonly string[]): { has: bigint; needs: bigint } | undefined {
  for (const line of logs.toReversed()) {
    const [, has, needs] = /^Transfer: insufficient lamports (\d{1,20}), need (\d{1,20})$/.exec(line) ?? []
    if (has !== undefined && needs !== undefined) return { has: BigInt(has), needs: BigInt(needs) }
  }
  return undefined
}

/** The reason that the System program or a token program logged for its error 0x1. */
function reasonInLogs(logs: readonly string[]): string | undefined {
  const lamports = missingLamports(logs)
  if (lamports !== undefined)
    return `an account has ${lamports.has} lamports, and the transfer needs ${lamports.needs}`
  return logs.includes('Program log: Error: insufficient funds')
    ? 'a token account has too few tokens'
    : undefined
}
