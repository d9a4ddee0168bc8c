import { hash } from 'node:crypto'
import {
  type AccountMeta,
  COMPUTE_BUDGET_PROGRAM,
  isStaticWritable,
  LIGHTHOUSE_PROGRAM,
  type Message,
  parseMessage,
  type Pubkey,
  signatureBytes,
  type WireTransaction,
} from '@agent-registry/solana'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { RELAY_POLICY } from './limits.ts'
import type { TransactionRow } from './transaction-store.ts'

/** An instruction with its keys in place of their indexes. */
interface ResolvedInstruction {
  readonly program: Pubkey
  readonly accounts: readonly Pubkey[]
  readonly data: Uint8Array
}

/** The message of a row or record, which is base64. */
export function preparedMessage({ message }: { readonly message: string }): Message {
  return parseMessage(Buffer.from(message, 'base64'))
}

/**
 * Whether a submitted message has the instructions, accounts, flags, payer, signers and blockhash
 * of the prepared one. Two changes that wallets make are allowed: inserted assertions of the
 * Lighthouse program, and a lower compute-unit price or limit.
 */
export function matchesPrepared(prepared: Message, submitted: Message): boolean {
  if (submitted.version !== 0 || submitted.lookups.length > 0) return false
  if (submitted.blockhash !== prepared.blockhash) return false
  if (submitted.staticKeys[0] !== prepared.staticKeys[0]) return false
  const [expected, actual] = [resolveInstructions(prepared), resolveInstructions(submitted)]
  if (expected === null || actual === null) return false
  const assertions = actual.filter(isAssertion)
  const others = actual.filter((each) => !isAssertion(each))
  if (assertions.length > RELAY_POLICY.lighthouse.maxInstructions) return false
  if (others.length !== expected.length) return false
  if (!others.every((each, i) => isSameInstruction(expected[i], each))) return false
  return hasSameAccounts(prepared, submitted, assertions)
}

/** A hash of what wallets do not change. Null if it cannot be a version of a prepared message. */
export function matchKey(message: Message): string | null {
  const instructions = resolveInstructions(message)
  if (message.version !== 0 || message.lookups.length > 0 || instructions === null) return null
  const fixed = instructions.filter((each) => !isAssertion(each))
  const parts = fixed.map(({ program, accounts, data }) => {
    const isBudget = program === COMPUTE_BUDGET_PROGRAM
    return [program, accounts, Buffer.from(isBudget ? data.subarray(0, 1) : data).toString('base64')]
  })
  return hash('sha256', JSON.stringify([message.staticKeys[0], message.blockhash, parts]), 'base64url')
}

/** Whether two matching messages have the same compute-unit limit and price. */
export function hasSameBudget(prepared: Message, submitted: Message): boolean {
  const [expected, actual] = [prepared, submitted].map((message) =>
    message.instructions
      .filter(({ programIdIndex }) => message.staticKeys[programIdIndex] === COMPUTE_BUDGET_PROGRAM)
      .map(({ data }) => Buffer.from(data).toString('hex')),
  )
  return String(expected) === String(actual)
}

/** Null if an instruction uses a key of a lookup table. */
function resolveInstructions({ instructions, staticKeys }: Message): ResolvedInstruction[] | null {
  const resolved: ResolvedInstruction[] = []
  for (const { programIdIndex, accounts, data } of instructions) {
    const program = staticKeys[programIdIndex]
    const keys = Array.from(accounts, (index) => staticKeys[index])
    if (program === undefined || keys.includes(undefined)) return null
    resolved.push({ program, accounts: keys as Pubkey[], data })
  }
  return resolved
}

function isAssertion({ program, data }: ResolvedInstruction): boolean {
  const { firstAssertion, lastAssertion } = RELAY_POLICY.lighthouse
  const [kind = -1] = data
  return program === LIGHTHOUSE_PROGRAM && kind >= firstAssertion && kind <= lastAssertion
}

function isSameInstruction(prepared: ResolvedInstruction | undefined, submitted: ResolvedInstruction) {
  if (prepared === undefined || prepared.program !== submitted.program) return false
  if (prepared.accounts.length !== submitted.accounts.length) return false
  if (prepared.accounts.some((key, i) => key !== submitted.accounts[i])) return false
  if (prepared.program === COMPUTE_BUDGET_PROGRAM) return isSameOrLower(prepared.data, submitted.data)
  return Buffer.compare(prepared.data, submitted.data) === 0
}

/** Whether this is the same kind of compute-budget instruction with an equal or lower number. */
function isSameOrLower(prepared: Uint8Array, submitted: Uint8Array): boolean {
  if (prepared.length !== submitted.length || prepared[0] !== submitted[0]) return false
  return littleEndian(submitted.subarray(1)) <= littleEndian(prepared.subarray(1))
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
}

/** Prepared accounts keep their flags. New ones are read-only and only assertions use them. */
function hasSameAccounts(prepared: Message, submitted: Message, assertions: readonly ResolvedInstruction[]) {
  const [expected, actual] = [accountFlags(prepared), accountFlags(submitted)]
  if (actual.size !== submitted.staticKeys.length) return false
  for (const [key, { isSigner, isWritable }] of expected) {
    const flags = actual.get(key)
    if (flags?.isSigner !== isSigner || flags.isWritable !== isWritable) return false
  }
  const asserted = new Set(assertions.flatMap(({ program, accounts }) => [program, ...accounts]))
  return [...actual].every(
    ([key, { isSigner, isWritable }]) => expected.has(key) || (!isSigner && !isWritable && asserted.has(key)),
  )
}

const accountFlags = (message: Message) => new Map(staticAccounts(message).map((each) => [each.pubkey, each]))

/** The accounts of a message, without those of lookup tables. */
export function staticAccounts(message: Message): AccountMeta[] {
  return message.staticKeys.map((pubkey, i) => {
    return { pubkey, isSigner: i < message.requiredSignatures, isWritable: isStaticWritable(message, i) }
  })
}

/**
 * The prepared transactions that a transaction of the ledger is, among all that have its match key.
 * Anybody can prepare the same instructions with another priority fee, and these must not count.
 */
export function ownRows<Row extends Pick<TransactionRow, 'message' | 'signature'>>(
  { message, signature }: WireTransaction,
  rows: readonly Row[],
): readonly Row[] {
  const versions = rows.flatMap((row) => {
    const prepared = preparedMessage(row)
    if (!matchesPrepared(prepared, message)) return []
    return [{ row, isOwn: row.signature === signature || hasSameBudget(prepared, message) }]
  })
  const own = versions.filter(({ isOwn }) => isOwn)
  if (own.length > 0) return own.map(({ row }) => row)
  // A wallet lowered the fee. It is not known of which one, if there are several.
  const messages = new Set(versions.map(({ row }) => row.message))
  return messages.size === 1 ? versions.map(({ row }) => row) : []
}

/** The first signer from position `from` on whose signature is wrong. */
export function wrongSigner({ signatures, message, messageBytes }: WireTransaction, from = 0): string | null {
  const { staticKeys } = message
  const wrong = signatures.findIndex((signature, i) => {
    const [bytes, key] = [signatureBytes(signature), staticKeys[i]]
    return i >= from && (bytes === null || key === undefined || !verifyEd25519(messageBytes, bytes, key))
  })
  return wrong < 0 ? null : (staticKeys[wrong] ?? '')
}
