import { rmSync } from 'node:fs'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type Figure, saveResult, compareTimes } from '../support/result.ts'
import { spread } from '../support/statistics.ts'
import { measureStart, type Start } from './gateway.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

const rounds: { cold: Start; warm: Start }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const dataDir = temporaryFolder('gateway-bench-start-')
  try {
    rounds.push({ cold: await measureStart(dataDir), warm: await measureStart(dataDir) })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const valuesOf = (kind: 'cold' | 'warm', value: (start: Start) => number): number[] =>
  rounds.map((round) => value(round[kind]))
const moments = [
  ['first answer', 'healthy'],
  ['24 agents listed', 'indexed'],
] as const
const comparisons = moments.map(([moment, of]) =>
  compareTimes(
    { work: `start again until ${moment}`, against: 'first start on an empty folder', unit: 's' },
    valuesOf('warm', (start) => start[of]),
    valuesOf('cold', (start) => start[of]),
  ),
)
const figures = (['cold', 'warm'] as const).flatMap((kind): Figure[] => [
  {
    figure: `resident memory after a ${kind} start, gateway`,
    value: spread(valuesOf(kind, ({ memory }) => memory?.gatewayMib ?? 0)),
    unit: 'MiB',
  },
  {
    figure: `resident memory after a ${kind} start, PostgreSQL`,
    value: spread(valuesOf(kind, ({ memory }) => memory?.postgresMib ?? 0)),
    unit: 'MiB',
  },
])
saveResult('start', { comparisons, figures }, { rounds })
