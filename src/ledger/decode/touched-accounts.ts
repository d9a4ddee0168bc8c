import { registryIdl } from '@agent-registry/program'
import type { RegistryCall } from './registry-calls.ts'

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
 * The registry accounts that these instructions may have changed. Of an unknown instruction: all
 * its accounts.
 */
export function touchedAccounts(calls: readonly RegistryCall[]): Set<string> {
  const touched = new Set<string>()
  for (const { accounts, data, event } of calls) {
    if (event !== null) continue
    const discriminator = Buffer.from(data.subarray(0, 8)).toString('hex')
    const positions = writtenPositions.get(discriminator) ?? accounts.keys()
    for (const position of positions) {
      const account = accounts[position]
      if (account !== undefined) touched.add(account)
    }
  }
  return touched
}
