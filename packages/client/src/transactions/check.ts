import { collectAccounts, COMPUTE_BUDGET_PROGRAM, isEqual } from '@agent-registry/solana/wire'
import type { AccountKey, Instruction } from '../program/instruction.ts'
import { type ParsedTransaction, parseTransaction } from './message.ts'

/** What a transaction may contain. */
export interface ExpectedTransaction {
  readonly instructions: readonly Instruction[]
  /** The wallet that will sign. */
  readonly signer: string
  /** Who pays: the signer, or another address, which then is the only other signer. */
  readonly feePayer: string
  /** The most that the signer may pay as priority fee, in lamports. */
  readonly maxPriorityFeeLamports: bigint
}

/**
 * The gateway prepared something else than requested, or serves another program. Nothing was
 * signed.
 */
export class UnexpectedTransactionError extends Error {
  override readonly name = 'UnexpectedTransactionError'
}

const SET_LIMIT = 2
const SET_PRICE = 3
const MICRO_LAMPORTS = 1_000_000n

/**
 * Throws unless the transaction has exactly these instructions, signers and account flags, and a
 * compute budget within the limit. Call it before every signature.
 */
export function checkTransaction(bytes: Uint8Array, expected: ExpectedTransaction): void {
  const transaction = parseTransaction(bytes)
  const isBudget = ({ programId }: Instruction): boolean => programId === COMPUTE_BUDGET_PROGRAM
  const fee = priorityFee(transaction.instructions.filter(isBudget))
  if (expected.feePayer === expected.signer && fee > expected.maxPriorityFeeLamports)
    refuse(`the priority fee is ${fee} lamports, the limit ${expected.maxPriorityFeeLamports}`)
  const instructions = transaction.instructions.filter((each) => !isBudget(each))
  if (instructions.length !== expected.instructions.length)
    refuse(`it has ${instructions.length} instructions, not ${expected.instructions.length}`)
  for (const [i, each] of expected.instructions.entries()) checkInstruction(i, instructions[i]!, each)
  checkKeys(transaction, expected)
}

function refuse(problem: string): never {
  throw new UnexpectedTransactionError(`The prepared transaction was not signed: ${problem}`)
}

/** In lamports, rounded up as the ledger does. */
function priorityFee(budget: readonly Instruction[]): bigint {
  const values = new Map<number, bigint>()
  for (const { data, keys } of budget) {
    const [kind = -1] = data
    const isKnown = (kind === SET_LIMIT && data.length === 5) || (kind === SET_PRICE && data.length === 9)
    if (!isKnown || keys.length > 0 || values.has(kind)) refuse('its compute budget is not as requested')
    values.set(
      kind,
      data.slice(1).reduceRight((value, byte) => value * 256n + BigInt(byte), 0n),
    )
  }
  const price = values.get(SET_PRICE) ?? 0n
  const limit = values.get(SET_LIMIT)
  if (price > 0n && limit === undefined) refuse('it has a priority fee without a limit')
  return (price * (limit ?? 0n) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
}

function checkInstruction(i: number, actual: Instruction, expected: Instruction): void {
  if (actual.programId !== expected.programId) refuse(`instruction ${i} calls ${actual.programId}`)
  const isSame = ({ pubkey }: AccountKey, j: number): boolean => pubkey === expected.keys[j]?.pubkey
  if (actual.keys.length !== expected.keys.length || !actual.keys.every(isSame))
    refuse(`instruction ${i} uses other accounts`)
  if (!isEqual(actual.data, expected.data)) refuse(`instruction ${i} has other data`)
}

/**
 * Every key has the flags that the instructions and the fee payer need, and no other key exists.
 */
function checkKeys({ keys }: ParsedTransaction, expected: ExpectedTransaction): void {
  const { signer, feePayer, instructions } = expected
  const needed = new Map(
    collectAccounts(feePayer, instructions).map((each): [string, AccountKey] => [each.pubkey, each]),
  )
  if (keys[0]?.pubkey !== feePayer) refuse(`${keys[0]?.pubkey} pays, not ${feePayer}`)
  if (needed.get(signer)?.isSigner !== true) refuse(`${signer} is not among its signers`)
  const others = keys.filter(({ pubkey }) => pubkey !== COMPUTE_BUDGET_PROGRAM)
  if (new Set(others.map(({ pubkey }) => pubkey)).size !== others.length) refuse('it names an account twice')
  for (const { pubkey, isSigner, isWritable } of others) {
    const flags = needed.get(pubkey)
    if (flags === undefined) refuse(`it names the account ${pubkey}`)
    if (flags.isSigner !== isSigner) refuse(`the account ${pubkey} has another signer flag`)
    if (flags.isWritable !== isWritable) refuse(`the account ${pubkey} has another writable flag`)
    if (isSigner && pubkey !== signer && pubkey !== feePayer) refuse(`${pubkey} must sign, too`)
  }
}
