import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BENCHES } from './names.ts'
import { runBench } from './process.ts'
import { writeReport } from './report/report.ts'
import { keepResult } from './support/result.ts'

/**
 * `npm run bench` runs every bench and writes the report; `npm run bench -- NAME…` runs these
 * benches; `npm run bench -- report` only writes the report of the saved results. A result of a
 * busy machine is saved only with `--force`. If a bench fails or its result is not saved, the
 * others still run and the exit code is 1.
 */
const mainOf = (bench: string): string => fileURLToPath(new URL(`${bench}/main.ts`, import.meta.url))
const known = BENCHES.filter((bench) => existsSync(mainOf(bench)))
const force = process.argv.includes('--force')
const asked = process.argv.slice(2).filter((name) => name !== '--force')
const unknown = asked.filter((name) => name !== 'report' && !known.some((bench) => bench === name))
if (unknown.length > 0) {
  process.stderr.write(`Unknown bench ${unknown.join(', ')}. Known: ${known.join(', ')}, report\n`)
  process.exit(1)
}

const failed: string[] = []
for (const bench of known.filter((name) => asked.length === 0 || asked.includes(name))) {
  process.stderr.write(`bench ${bench}\n`)
  const { result, machine, problem } = await runBench(mainOf(bench))
  if (problem !== null) failed.push(`bench ${bench} ${problem}`)
  else if (machine.busy.length > 0 && !force)
    failed.push(`bench ${bench} was NOT SAVED, the machine was busy: ${machine.busy.join('; ')}`)
  else if (result !== null) keepResult({ ...result, machine })
}
writeReport()
for (const line of failed) process.stderr.write(`${line}\n`)
process.exitCode = failed.length > 0 ? 1 : 0
