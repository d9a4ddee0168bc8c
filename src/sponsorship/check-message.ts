import {
  COMPUTE_BUDGET_PROGRAM,
  type Instruction,
  LIGHTHOUSE_PROGRAM,
  type Message,
  pubkeyBytes,
} from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { costExceeded, networkFee } from './costs.ts'
import { SPONSOR_POLICY } from './policy.ts'

/** The first bytes of the compute-budget instructions. */
const SET_LIMIT = 2
const SET_PRICE = 3

/**
 * Checks the final message, whatever was checked when it was prepared: the fee payer's place (a
 * wallet's assertion may read it), compute units, price and signatures. Throws
 * TRANSACTION_MISMATCH, SPONSOR_COST_EXCEEDED. Returns the network fee in lamports.
 */
export function checkMessage(message: Message, kind: SponsorshipKind): bigint {
  const { staticKeys, instructions, lookups, requiredSignatures } = message
  const mismatch = new DomainError('TRANSACTION_MISMATCH')
  const [feePayer] = staticKeys
  if (feePayer === undefined || lookups.length > 0) throw mismatch
  if (requiredSignatures !== SPONSOR_POLICY.maxSignatures) throw mismatch
  const programOf = ({ programIdIndex }: Instruction) => staticKeys[programIdIndex]
  const budgetInstructions = instructions.filter((each) => programOf(each) === COMPUTE_BUDGET_PROGRAM)
  const clientInstructions = instructions.filter(
    (each) => programOf(each) !== COMPUTE_BUDGET_PROGRAM && programOf(each) !== LIGHTHOUSE_PROGRAM,
  )
  const feePayerPositions = clientInstructions.flatMap(({ accounts }) =>
    [...accounts].flatMap((account, position) => (account === 0 ? [position] : [])),
  )
  const expected = kind === 'registration' ? [SPONSOR_POLICY.registration.payer.index] : []
  if (feePayerPositions.join() !== expected.join()) throw mismatch
  const key = Buffer.from(pubkeyBytes(feePayer))
  if (clientInstructions.some(({ data }) => Buffer.from(data).includes(key))) throw mismatch
  return checkBudget(budgetInstructions, requiredSignatures, SPONSOR_POLICY[kind].maxComputeUnits)
}

function checkBudget(instructions: readonly Instruction[], signatures: number, maxUnits: number): bigint {
  const dataOf = (kind: number, length: number): Buffer => {
    const found = instructions.filter((each) => each.data[0] === kind && each.data.length === length)
    if (found.length !== 1 || instructions.length !== 2) throw new DomainError('TRANSACTION_MISMATCH')
    return Buffer.from(found[0]?.data ?? [])
  }
  const limit = dataOf(SET_LIMIT, 5).readUInt32LE(1)
  const price = dataOf(SET_PRICE, 9).readBigUInt64LE(1)
  const max = SPONSOR_POLICY.maxPriorityFee
  if (limit > maxUnits) throw costExceeded(limit, 'compute units', maxUnits)
  if (price > BigInt(max)) throw costExceeded(price, 'micro-lamports per compute unit', max)
  return networkFee(signatures, limit, price)
}
