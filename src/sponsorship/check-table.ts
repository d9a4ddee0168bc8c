import type { Idl, IdlInstruction } from '@agent-registry/program'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { WalletAccounts } from './policy.ts'

/** The sponsorship policy does not fit the registry's IDL. */
export class PolicyError extends OperatorError {
  override readonly name = 'PolicyError'
}

interface NamedAccount {
  readonly name: string
  readonly index: number
}

/** The part of SPONSOR_POLICY that depends on the IDL. */
interface PolicyTable {
  readonly registration: {
    readonly instruction: string
    readonly payer: NamedAccount
    readonly wallet: WalletAccounts
    readonly creates: NamedAccount
  }
  readonly transaction: { readonly instructions: Readonly<Record<string, WalletAccounts>> }
}

/** Throws PolicyError with all differences: the accounts of a program can change in a new version. */
export function checkPolicyTable({ registration, transaction }: PolicyTable, idl: Idl): void {
  const problems: string[] = []
  const findInstruction = (name: string): IdlInstruction | undefined => {
    const instruction = idl.instructions.find((each) => each.name === name)
    if (instruction === undefined) problems.push(`the IDL has no instruction ${name}`)
    return instruction
  }
  const checkSigners = ({ name, accounts }: IdlInstruction, table: WalletAccounts): void => {
    const actual = accounts.flatMap((each, index) => (each.signer === true ? [`${each.name} ${index}`] : []))
    const expected = Object.entries(table)
      .toSorted(([, a], [, b]) => a - b)
      .map(([account, index]) => `${account} ${index}`)
    if (actual.join() !== expected.join())
      problems.push(`${name} is signed by ${actual.join(', ')}, not ${expected.join(', ')}`)
  }

  const { payer, wallet, creates } = registration
  const register = findInstruction(registration.instruction)
  if (register !== undefined) {
    checkSigners(register, { [payer.name]: payer.index, ...wallet })
    for (const { name, index } of [payer, creates]) {
      const account = register.accounts[index]
      if (account?.name !== name || account.writable !== true)
        problems.push(`account ${index} of ${register.name} is not ${name}, writable`)
    }
  }
  for (const [name, accounts] of Object.entries(transaction.instructions)) {
    const instruction = findInstruction(name)
    if (instruction !== undefined) checkSigners(instruction, accounts)
    if (name === registration.instruction) problems.push(`the payer of ${name} pays rent`)
  }
  if (problems.length > 0)
    throw new PolicyError(`The sponsorship policy does not fit the registry: ${problems.join('; ')}`)
}
