import {
  COMPUTE_BUDGET_PROGRAM,
  type Instruction,
  LIGHTHOUSE_PROGRAM,
  type Message,
  type NamedInstruction,
  type Pubkey,
  pubkeyBytes,
} from '@agent-registry/solana'
import {
  decodeInstruction,
  type IdlInstruction,
  type RegistryAddresses,
  registryIdl,
} from '@agent-registry/program'
import { DomainError } from '../domain/errors.ts'
import { nullIfMalformed } from './check-request.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { costExceeded, networkFee, SPONSOR_POLICY, type WalletAccounts } from './sponsor-policy.ts'

interface Parties {
  readonly feePayer: Pubkey
  readonly wallet: Pubkey
}

/**
 * The only instruction must be a registration whose account `payer` is the fee payer, and no other
 * account. Throws TOO_MANY_INSTRUCTIONS, FEE_PAYER_EXPECTED, FEE_PAYER_MISUSED, NOT_SPONSORED.
 */
export function checkRegistration(
  instructions: readonly NamedInstruction[],
  parties: Parties,
  addresses: RegistryAddresses,
): void {
  const { registration } = SPONSOR_POLICY
  const { feePayer, wallet } = parties
  const [instruction] = instructions
  if (instruction === undefined || instructions.length > 1)
    throw new DomainError('TOO_MANY_INSTRUCTIONS', { count: instructions.length, max: 1 })
  const place = 'instructions[0]'
  const definition = definitionOf(instruction, place)
  if (definition.name !== registration.instruction)
    throw refused(place, `a registration has one ${registration.instruction}, got ${definition.name}`)
  const { name, index } = registration.payer
  if (instruction.keys[index]?.pubkey !== feePayer)
    throw new DomainError('FEE_PAYER_EXPECTED', { place: `${place}.keys[${index}] (${name})`, key: feePayer })
  checkIsolated(instruction, place, feePayer, index)
  checkAccounts(instruction, place, definition, { wallet, accounts: registration.wallet }, addresses)
}

/**
 * Each instruction must be in the policy, signed only by the wallet and for its own agent, and must
 * not use the fee payer. Throws TOO_MANY_INSTRUCTIONS, REGISTRATION_NEEDS_CODE, FEE_PAYER_MISUSED,
 * NOT_SPONSORED.
 */
export function checkTransaction(
  instructions: readonly NamedInstruction[],
  { feePayer, wallet }: Parties,
  addresses: RegistryAddresses,
): void {
  const { registration, transaction } = SPONSOR_POLICY
  const max = transaction.maxInstructions
  if (instructions.length > max)
    throw new DomainError('TOO_MANY_INSTRUCTIONS', { count: instructions.length, max })
  const sponsored = new Map<string, WalletAccounts>(Object.entries(transaction.instructions))
  for (const [i, instruction] of instructions.entries()) {
    const place = `instructions[${i}]`
    const definition = definitionOf(instruction, place)
    if (definition.name === registration.instruction) throw new DomainError('REGISTRATION_NEEDS_CODE')
    const accounts = sponsored.get(definition.name)
    if (accounts === undefined)
      throw refused(place, `${definition.name} is not one of ${[...sponsored.keys()].join(', ')}`)
    checkIsolated(instruction, place, feePayer, null)
    checkAccounts(instruction, place, definition, { wallet, accounts }, addresses)
  }
}

function definitionOf({ data }: NamedInstruction, place: string): IdlInstruction {
  const name = nullIfMalformed(() => decodeInstruction(data))?.name
  const definition = registryIdl.instructions.find((each) => each.name === name)
  if (definition === undefined) throw refused(place, 'its data is not a registry instruction')
  return definition
}

/** The fee payer must be no account but `allowed`, nor in the data: a program could read it. */
function checkIsolated(
  { keys, data }: NamedInstruction,
  place: string,
  feePayer: Pubkey,
  allowed: number | null,
): void {
  const misused = (member: string): DomainError =>
    new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: `${place}.${member}` })
  for (const [i, { pubkey }] of keys.entries()) {
    if (pubkey === feePayer && i !== allowed) throw misused(`keys[${i}]`)
  }
  if (Buffer.from(data).includes(Buffer.from(pubkeyBytes(feePayer)))) throw misused('data')
}

/** Accounts must be those of the IDL and the registry, and the wallet signs for its own agent. */
function checkAccounts(
  { keys }: NamedInstruction,
  place: string,
  { name, accounts }: IdlInstruction,
  signer: { wallet: Pubkey; accounts: WalletAccounts },
  addresses: RegistryAddresses,
): void {
  const ofRegistry: Record<string, Pubkey> = {
    config: addresses.config(),
    event_authority: addresses.eventAuthority(),
    program: addresses.programId,
  }
  if (keys.length !== accounts.length)
    throw refused(place, `${name} takes ${accounts.length} accounts, got ${keys.length}`)
  for (const [i, account] of accounts.entries()) {
    const given = keys[i]
    const [isSigner, isWritable] = [account.signer === true, account.writable === true]
    if (given?.isSigner !== isSigner || given.isWritable !== isWritable) {
      const flags = `isSigner ${isSigner}, isWritable ${isWritable}`
      throw refused(`${place}.keys[${i}]`, `${account.name} must have ${flags}`)
    }
    const address = account.address ?? ofRegistry[account.name]
    if (address !== undefined && given.pubkey !== address)
      throw refused(`${place}.keys[${i}]`, `${account.name} must be ${address}`)
  }
  for (const [account, i] of Object.entries(signer.accounts)) {
    if (keys[i]?.pubkey !== signer.wallet)
      throw refused(`${place}.keys[${i}]`, `${account} must be ${signer.wallet}`)
  }
  const derived: Record<string, Pubkey> = {
    agent: addresses.agent(signer.wallet),
    deactivation_record: addresses.deactivationRecord(signer.wallet),
  }
  for (const [i, account] of accounts.entries()) {
    const expected = derived[account.name]
    if (expected !== undefined && keys[i]?.pubkey !== expected)
      throw refused(`${place}.keys[${i}]`, `${account.name} must be ${expected}`)
  }
}

function refused(place: string, problem: string): DomainError {
  return new DomainError('NOT_SPONSORED', { place, problem })
}

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
