import { decodeBase58 } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import { flatInvocations, type Invocation, type OuterInvocation } from './rpc-transaction.ts'

/** The names of the instruction accounts that hold registry state. */
const STATE_ACCOUNTS = new Set(['config', 'agent', 'stake', 'withdrawal', 'reporter', 'deactivation_record'])

/** By instruction discriminator in hex. */
const writtenPositions = new Map(
  registryIdl.instructions.map((instruction) => [
    Buffer.from(instruction.discriminator).toString('hex'),
    instruction.accounts.flatMap((meta, position) =>
      STATE_ACCOUNTS.has(meta.name) && meta.writable === true ? [position] : [],
    ),
  ]),
)

/**
 * The registry accounts that a transaction may have changed. Of an unknown instruction: all its
 * accounts.
 */
export function touchedAccounts(invocations: readonly OuterInvocation[], programId: string): Set<string> {
  const touched = new Set<string>()
  for (const invocation of flatInvocations(invocations)) {
    if (invocation.programId !== programId) continue
    const positions = writtenPositions.get(discriminatorOf(invocation)) ?? invocation.accounts.keys()
    for (const position of positions) {
      const account = invocation.accounts[position]
      if (account !== undefined) touched.add(account)
    }
  }
  return touched
}

function discriminatorOf(invocation: Invocation): string {
  return Buffer.from(decodeBase58(invocation.data)?.subarray(0, 8) ?? []).toString('hex')
}
