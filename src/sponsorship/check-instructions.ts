import { type Pubkey, pubkeyBytes } from '@agent-registry/solana'
import {
  camelCase,
  decodeInstruction,
  type IdlInstruction,
  type RegistryAddresses,
  registryIdl,
} from '@agent-registry/program'
import { DomainError } from '../domain/errors.ts'
import type { Instruction } from '../relay/instruction.ts'
import { SPONSOR_POLICY, type WalletAccounts } from './policy.ts'

export interface Parties {
  readonly feePayer: Pubkey
  readonly wallet: Pubkey
}

/** Throws unless these are exactly the one instruction of a registration, with the fee payer in its `payer` account and nowhere else. */
export function checkRegistration(
  instructions: readonly Instruction[],
  { feePayer, wallet }: Parties,
  addresses: RegistryAddresses,
): void {
  const { registration } = SPONSOR_POLICY
  const [instruction, ...more] = instructions
  if (instruction === undefined || more.length > 0)
    throw new DomainError('TOO_MANY_INSTRUCTIONS', { count: instructions.length, max: 1 })
  const place = 'instructions[0]'
  const definition = definitionOf(instruction, place)
  if (definition.name !== registration.instruction)
    throw refused(place, `a registration is one ${registration.instruction}, got ${definition.name}`)
  const { name, index } = registration.payer
  if (instruction.keys[index]?.pubkey !== feePayer) {
    throw new DomainError('FEE_PAYER_EXPECTED', { place: `${place}.keys[${index}] (${name})`, key: feePayer })
  }
  checkIsolated(instruction, place, feePayer, index)
  checkAccounts(instruction, place, definition)
  checkWallet(instruction, place, registration.wallet, wallet)
  const derived = {
    agent: addresses.agent(wallet),
    deactivationRecord: addresses.deactivationRecord(wallet),
    config: addresses.config(),
  }
  for (const [i, account] of definition.accounts.entries()) {
    const expected = (derived as Record<string, Pubkey>)[camelCase(account.name)]
    if (expected !== undefined && instruction.keys[i]?.pubkey !== expected)
      throw refused(`${place}.keys[${i}]`, `${account.name} must be ${expected}`)
  }
}

/** Throws unless each instruction is one of the policy's, signed by the wallet alone, with the fee payer in none. */
export function checkTransaction(instructions: readonly Instruction[], { feePayer, wallet }: Parties): void {
  const { registration, transaction } = SPONSOR_POLICY
  if (instructions.length > transaction.maxInstructions) {
    const max = transaction.maxInstructions
    throw new DomainError('TOO_MANY_INSTRUCTIONS', { count: instructions.length, max })
  }
  const sponsored: Readonly<Record<string, WalletAccounts>> = transaction.instructions
  for (const [i, instruction] of instructions.entries()) {
    const place = `instructions[${i}]`
    const definition = definitionOf(instruction, place)
    if (definition.name === registration.instruction) throw new DomainError('REGISTRATION_NEEDS_CODE')
    const accounts = Object.hasOwn(sponsored, definition.name) ? sponsored[definition.name] : undefined
    if (accounts === undefined) {
      const known = Object.keys(sponsored).join(', ')
      throw refused(place, `${definition.name} is none of ${known}`)
    }
    checkIsolated(instruction, place, feePayer, null)
    checkAccounts(instruction, place, definition)
    checkWallet(instruction, place, accounts, wallet)
  }
}

function definitionOf({ data }: Instruction, place: string): IdlInstruction {
  let name: string | undefined
  try {
    name = decodeInstruction(data)?.name
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
  }
  const definition = registryIdl.instructions.find((each) => each.name === name)
  if (definition === undefined) throw refused(place, 'its data is no instruction of the registry')
  return definition
}

/** The fee payer's key stands in no account but `allowed`, and nowhere in the data, where a program could take it for an account. */
function checkIsolated(
  { keys, data }: Instruction,
  place: string,
  feePayer: Pubkey,
  allowed: number | null,
): void {
  const misused = (where: string): DomainError =>
    new DomainError('FEE_PAYER_MISUSED', { key: feePayer, place: `${place}.${where}` })
  for (const [i, { pubkey }] of keys.entries()) {
    if (pubkey === feePayer && i !== allowed) throw misused(`keys[${i}]`)
  }
  if (Buffer.from(data).includes(Buffer.from(pubkeyBytes(feePayer)))) throw misused('data')
}

/** The accounts are the IDL's: as many, with the same flags, and those that it fixes. */
function checkAccounts({ keys }: Instruction, place: string, { name, accounts }: IdlInstruction): void {
  if (keys.length !== accounts.length)
    throw refused(place, `${name} takes ${accounts.length} accounts, got ${keys.length}`)
  for (const [i, account] of accounts.entries()) {
    const given = keys[i]
    const [isSigner, isWritable] = [account.signer === true, account.writable === true]
    if (given?.isSigner !== isSigner || given.isWritable !== isWritable) {
      const flags = `isSigner ${isSigner}, isWritable ${isWritable}`
      throw refused(`${place}.keys[${i}]`, `${account.name} must have ${flags}`)
    }
    if (account.address !== undefined && given.pubkey !== account.address)
      throw refused(`${place}.keys[${i}]`, `${account.name} must be ${account.address}`)
  }
}

function checkWallet({ keys }: Instruction, place: string, accounts: WalletAccounts, wallet: Pubkey): void {
  for (const [name, i] of Object.entries(accounts)) {
    if (keys[i]?.pubkey !== wallet) throw refused(`${place}.keys[${i}]`, `${name} must be ${wallet}`)
  }
}

function refused(place: string, problem: string): DomainError {
  return new DomainError('NOT_SPONSORED', { place, problem })
}
