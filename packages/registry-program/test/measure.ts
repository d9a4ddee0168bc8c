import { registryIdl } from '../src/idl.ts'
import { registered } from './support/actors.ts'
import { Bench } from './support/bench.ts'
import { type Scenario, scenario } from './support/scenarios.ts'

const RUNS = 25

function firstDeposit(): Scenario {
  const bench = Bench.initialized()
  return {
    bench,
    instruction: bench.instruction('deposit', registered(bench).accounts, { amount: 10n ** 9n }),
  }
}

/**
 * Prints a table of compute units in the VM. Bumps are random, so each row is the least, median and
 * most of many runs.
 */
function measure(label: string, make: () => Scenario): void {
  const units = Array.from({ length: RUNS }, () => {
    const { bench, instruction } = make()
    const outcome = bench.send(instruction)
    if (outcome.error !== null) throw new Error(`${label}: ${outcome.error}`)
    return Number(outcome.computeUnits)
  }).sort((a, b) => a - b)
  const columns = [0, RUNS >> 1, RUNS - 1].map((i) => units[i]?.toLocaleString('en'))
  process.stdout.write(`| ${[label, ...columns].join(' | ')} |\n`)
}

for (const { name } of registryIdl.instructions) {
  if (name === 'deposit') measure('deposit, the first', firstDeposit)
  measure(name, () => scenario(name))
}
