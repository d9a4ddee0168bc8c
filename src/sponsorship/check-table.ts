import type { Idl } from '@agent-registry/program'
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

/**
 * Throws PolicyError with all differences: the accounts of a program can change in a new version.
 */
export function checkPolicyTable({ registration, transaction }: PolicyTable, idl: Idl): void {
  const problems: string[] = []
  const { payer, wallet, creates } = registration
  const signers: Record<string, WalletAccounts> = {
    ...transaction.instructions,
    [registration.instruction]: { [payer.name]: payer.index, ...wallet },
  }
  for (const [name, expected] of Object.entries(signers)) {
    const instruction = idl.instructions.find((each) => each.name === name)
    if (instruction === undefined) {
      problems.push(`the IDL has no instruction ${name}`)
      continue
    }
    const actual = instruction.accounts.flatMap((each, i) =>
      each.signer === true ? [`${each.name} ${i}`] : [],
    )
    const wanted = Object.entries(expected)
      .toSorted(([, a], [, b]) => a - b)
      .map(([account, i]) => `${account} ${i}`)
    if (actual.join() !== wanted.join())
      problems.push(`${name} is signed by ${actual.join(', ')}, not ${wanted.join(', ')}`)
    for (const account of name === registration.instruction ? [payer, creates] : []) {
      const found = instruction.accounts[account.index]
      if (found?.name !== account.name || found.writable !== true)
        problems.push(`account ${account.index} of ${name} is not ${account.name}, writable`)
    }
  }
  if (Object.hasOwn(transaction.instructions, registration.instruction))
    problems.push(`the payer of ${registration.instruction} pays rent`)
  if (problems.length > 0)
    throw new PolicyError(`The sponsorship policy does not fit the registry: ${problems.join('; ')}`)
}
