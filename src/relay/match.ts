import {
  COMPUTE_BUDGET_PROGRAM,
  isStaticWritable,
  LIGHTHOUSE_PROGRAM,
  type Message,
  type Pubkey,
} from '@agent-registry/solana'
import { RELAY_POLICY } from './policy.ts'

interface Call {
  readonly program: Pubkey
  readonly accounts: readonly Pubkey[]
  readonly data: Uint8Array
}

interface Flags {
  readonly isSigner: boolean
  readonly isWritable: boolean
}

/**
 * Whether a submitted message does what the prepared one does: the same instructions, accounts, flags, payer, signers and blockhash.
 * Two things that wallets do are let pass: assertions of the Lighthouse program among the instructions, and a compute-unit
 * price or limit that is lower.
 */
export function matchesPrepared(prepared: Message, submitted: Message): boolean {
  if (submitted.version !== 0 || submitted.lookups.length > 0) return false
  if (submitted.blockhash !== prepared.blockhash) return false
  if (submitted.staticKeys[0] !== prepared.staticKeys[0]) return false
  const [before, after] = [calls(prepared), calls(submitted)]
  if (before === null || after === null) return false
  const inserted = after.filter(isAssertion)
  const kept = after.filter((each) => !isAssertion(each))
  if (inserted.length > RELAY_POLICY.lighthouse.maxInstructions) return false
  if (kept.length !== before.length) return false
  return kept.every((each, i) => isSameCall(before[i], each)) && sameAccounts(prepared, submitted, inserted)
}

/** Null where an instruction names a key that the message does not hold itself. */
function calls({ instructions, staticKeys }: Message): Call[] | null {
  const resolved: Call[] = []
  for (const { programIdIndex, accounts, data } of instructions) {
    const program = staticKeys[programIdIndex]
    const keys = Array.from(accounts, (index) => staticKeys[index])
    if (program === undefined || keys.includes(undefined)) return null
    resolved.push({ program, accounts: keys as Pubkey[], data })
  }
  return resolved
}

function isAssertion({ program, data }: Call): boolean {
  const { firstAssertion, lastAssertion } = RELAY_POLICY.lighthouse
  const [kind = -1] = data
  return program === LIGHTHOUSE_PROGRAM && kind >= firstAssertion && kind <= lastAssertion
}

function isSameCall(prepared: Call | undefined, submitted: Call): boolean {
  if (prepared === undefined || prepared.program !== submitted.program) return false
  if (prepared.accounts.length !== submitted.accounts.length) return false
  if (prepared.accounts.some((key, i) => key !== submitted.accounts[i])) return false
  if (prepared.program === COMPUTE_BUDGET_PROGRAM) return isNoDearer(prepared.data, submitted.data)
  return Buffer.compare(prepared.data, submitted.data) === 0
}

/** The same kind of compute-budget instruction with an equal or lower number. */
function isNoDearer(prepared: Uint8Array, submitted: Uint8Array): boolean {
  if (prepared.length !== submitted.length || prepared[0] !== submitted[0]) return false
  return littleEndian(submitted.subarray(1)) <= littleEndian(prepared.subarray(1))
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
}

/** Prepared accounts keep their flags; new ones sign nothing, write nothing, and only assertions name them. */
function sameAccounts(prepared: Message, submitted: Message, inserted: readonly Call[]): boolean {
  const [before, after] = [flags(prepared), flags(submitted)]
  if (after.size !== submitted.staticKeys.length) return false
  for (const [key, { isSigner, isWritable }] of before) {
    const now = after.get(key)
    if (now === undefined || now.isSigner !== isSigner || now.isWritable !== isWritable) return false
  }
  const asserted = new Set(inserted.flatMap(({ program, accounts }) => [program, ...accounts]))
  return [...after].every(
    ([key, { isSigner, isWritable }]) => before.has(key) || (!isSigner && !isWritable && asserted.has(key)),
  )
}

function flags(message: Message): Map<Pubkey, Flags> {
  return new Map(
    message.staticKeys.map((key, i) => [
      key,
      { isSigner: i < message.requiredSignatures, isWritable: isStaticWritable(message, i) },
    ]),
  )
}
