import type { Idl, IdlInstruction } from '@agent-registry/program'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { SponsorPolicy } from './policy.ts'

/** The sponsorship policy does not fit the registry's interface. */
export class PolicyError extends OperatorError {
  override readonly name = 'PolicyError'
}

/** Throws PolicyError with all that is wrong: a program that changed its accounts must not meet a policy made for the old ones. */
export function checkPolicyTable(policy: SponsorPolicy, idl: Idl): void {
  const problems: string[] = []
  const { registration, transaction } = policy
  const found = (name: string): IdlInstruction | undefined => {
    const instruction = idl.instructions.find((each) => each.name === name)
    if (instruction === undefined) problems.push(`the IDL has no instruction ${name}`)
    return instruction
  }
  /** The accounts that sign are those of the table, no more and no fewer. */
  const checkSigners = ({ name, accounts }: IdlInstruction, table: Record<string, number>): void => {
    const signing = accounts.flatMap((each, index) => (each.signer === true ? [`${each.name} ${index}`] : []))
    const expected = Object.entries(table)
      .toSorted(([, a], [, b]) => a - b)
      .map(([account, index]) => `${account} ${index}`)
    if (signing.join() !== expected.join())
      problems.push(`${name} is signed by ${signing.join(', ')}, not ${expected.join(', ')}`)
  }

  const register = found(registration.instruction)
  if (register !== undefined) {
    checkSigners(register, { [registration.payer.name]: registration.payer.index, ...registration.wallet })
    for (const { name, index } of [registration.payer, registration.creates]) {
      const account = register.accounts[index]
      if (account?.name !== name || account.writable !== true)
        problems.push(`account ${index} of ${register.name} is not ${name}, writable`)
    }
  }
  for (const [name, wallet] of Object.entries(transaction.instructions)) {
    const instruction = found(name)
    if (instruction !== undefined) checkSigners(instruction, wallet)
    if (name === registration.instruction) problems.push(`${name} allocates at its payer's cost`)
  }
  if (problems.length > 0)
    throw new PolicyError(`The sponsorship policy does not fit the registry: ${problems.join('; ')}`)
}
