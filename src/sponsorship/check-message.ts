import {
  COMPUTE_BUDGET_PROGRAM,
  type Instruction,
  LIGHTHOUSE_PROGRAM,
  type Message,
  pubkeyBytes,
} from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import { networkFee } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'

/** The compute budget's instructions by their first byte. */
const LIMIT = 2
const PRICE = 3

/**
 * Looks at the message that is about to be signed itself, whatever was checked when it was prepared: the fee payer stands only where the
 * policy has it, assertions of wallets aside, which read it; and units, price and signatures are within the policy. Throws
 * TRANSACTION_MISMATCH, SPONSOR_COST_EXCEEDED. Returns the network's fee in lamports.
 */
export function checkMessage(message: Message, kind: 'registration' | 'transaction'): bigint {
  const { staticKeys, instructions, lookups, requiredSignatures } = message
  const mismatch = new DomainError('TRANSACTION_MISMATCH')
  const [feePayer] = staticKeys
  if (feePayer === undefined || lookups.length > 0) throw mismatch
  if (requiredSignatures !== SPONSOR_POLICY.maxSignatures) throw mismatch
  const programOf = ({ programIdIndex }: Instruction) => staticKeys[programIdIndex]
  const own = instructions.filter((each) => programOf(each) === COMPUTE_BUDGET_PROGRAM)
  const theirs = instructions.filter(
    (each) => programOf(each) !== COMPUTE_BUDGET_PROGRAM && programOf(each) !== LIGHTHOUSE_PROGRAM,
  )
  const places = theirs.flatMap(({ accounts }) =>
    [...accounts].flatMap((account, position) => (account === 0 ? [position] : [])),
  )
  const expected = kind === 'registration' ? [SPONSOR_POLICY.registration.payer.index] : []
  if (places.join() !== expected.join()) throw mismatch
  const key = Buffer.from(pubkeyBytes(feePayer))
  if (theirs.some(({ data }) => Buffer.from(data).includes(key))) throw mismatch
  return checkBudget(own, requiredSignatures, SPONSOR_POLICY[kind].maxComputeUnits)
}

function checkBudget(own: readonly Instruction[], signatures: number, maxUnits: number): bigint {
  const data = (kind: number, length: number): Buffer => {
    const found = own.filter((each) => each.data[0] === kind && each.data.length === length)
    if (found.length !== 1 || own.length !== 2) throw new DomainError('TRANSACTION_MISMATCH')
    return Buffer.from(found[0]?.data ?? [])
  }
  const limit = data(LIMIT, 5).readUInt32LE(1)
  const price = data(PRICE, 9).readBigUInt64LE(1)
  const max = SPONSOR_POLICY.maxPriorityFee
  if (limit > maxUnits) throw costExceeded(limit, 'compute units', maxUnits)
  if (price > BigInt(max)) throw costExceeded(price, 'micro-lamports per compute unit', max)
  return networkFee(signatures, { limit, price })
}

export function costExceeded(amount: bigint | number, unit: string, max: bigint | number): DomainError {
  return new DomainError('SPONSOR_COST_EXCEEDED', { amount: String(amount), unit, max: String(max) })
}
