import { decodeBase58 } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import type { Invocation, OuterInvocation } from './transaction.ts'

/** The names under which instructions list accounts that hold registry state. */
const STATE_ACCOUNTS = new Set(['config', 'agent', 'stake', 'withdrawal', 'reporter', 'deactivation_record'])

const writtenPositions = new Map(
  registryIdl.instructions.map((instruction) => [
    Buffer.from(instruction.discriminator).toString('hex'),
    instruction.accounts.flatMap((meta, position) =>
      STATE_ACCOUNTS.has(meta.name) && meta.writable === true ? [position] : [],
    ),
  ]),
)

/** The registry accounts that a transaction may have changed. For an unknown instruction: all it names. */
export function touchedAccounts(invocations: readonly OuterInvocation[], programId: string): Set<string> {
  const touched = new Set<string>()
  for (const invocation of everyInvocation(invocations)) {
    if (invocation.programId !== programId) continue
    const positions = writtenPositions.get(discriminatorOf(invocation)) ?? invocation.accounts.keys()
    for (const position of positions) {
      const account = invocation.accounts[position]
      if (account !== undefined) touched.add(account)
    }
  }
  return touched
}

function* everyInvocation(invocations: readonly OuterInvocation[]): Generator<Invocation> {
  for (const outer of invocations) {
    yield outer
    yield* outer.inner ?? []
  }
}

function discriminatorOf(invocation: Invocation): string {
  return Buffer.from(decodeBase58(invocation.data)?.subarray(0, 8) ?? []).toString('hex')
}
