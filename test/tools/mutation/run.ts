import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { installedTools } from '../install.ts'
import type { Sample } from './sample.ts'

/** Which tests must notice a change in a folder or file: folders and files in `test`. */
const TESTS: Record<string, readonly string[]> = {
  'src/registry/agents': [
    'api/registry/fresh-search',
    'api/registry/search',
    'api/rest/agent',
    'api/rest/search',
    'api/rest/limits',
    'api/rest/graphql',
    'api/schema',
    'api/platform',
  ],
  'src/identity/credentials': [
    'unit/identity/credentials',
    'api/identity/credentials',
    'api/identity/status-lists',
    'api/identity/trusted-issuers',
    'faults/identity/status-lists',
  ],
  'src/identity/sessions': ['unit/identity', 'api/identity'],
  'src/identity/wallet-auth.ts': ['unit/identity', 'api/identity'],
  'src/ledger': ['unit/ledger', 'api/ledger', 'api/rest/health', 'api/rest/not-filled', 'faults/ledger'],
  'src/platform/net': [
    'unit/platform',
    'unit/webhooks',
    'api/identity',
    'faults/platform',
    'faults/identity',
  ],
  'src/platform/overload': [
    'unit/platform/connection-limit',
    'unit/platform/queue-delay',
    'api/rest/priority',
    'faults/rest/admission-slots',
    'faults/rest/overload',
    'faults/rest/shared-places',
  ],
  'src/platform/rate-limits': ['unit/platform/rate-limit-counting', 'api/platform'],
  'src/transactions': ['unit/transactions', 'api/transactions', 'faults/transactions', 'api/rest/limits'],
  'src/webhooks': [
    'unit/webhooks',
    'api/webhooks',
    'faults/webhooks/amplification',
    'faults/webhooks/claims',
    'faults/webhooks/lanes',
    'faults/webhooks/paused-receivers',
    'faults/webhooks/stored-attempts',
    'faults/rest/abandoned-streams',
    'faults/rest/replayed-events',
    'faults/rest/shared-places',
    'api/rest/graphql/subscriptions',
    'api/rest/mcp/protocol',
    'api/schema/connections',
    'api/schema/events',
    'api/schema/lookups',
    'api/schema/schema-for-front-ends',
  ],
}

/** These run in worker threads, where Stryker switches no mutant on. */
const IN_THREADS = [
  'src/registry/search/{bit-planes,name-index,shared-counter,slot-set,worker}.ts',
  'src/identity/credentials/verify/crypto/{verify-proofs,worker}.ts',
]

interface Mutant {
  mutatorName: string
  replacement?: string
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'RuntimeError' | 'CompileError'
  location: { start: { line: number; column: number }; end: { line: number; column: number } }
}

interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>
}

/** `reason` says why no test notices the mutant. The score leaves out those that are equivalent. */
interface Survivor {
  mutant: string
  reason?: string
}

interface Score {
  percent: number
  /** Present if only one of so many mutants was run. */
  oneIn?: number
  killed: number
  survived: number
  equivalent: number
  survivors: Survivor[]
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const scoresFile = fileURLToPath(new URL('scores.json', import.meta.url))

/** Runs mutants of a folder, see https://stryker-mutator.io/docs/stryker-js/configuration. */
function runMutants(folder: string, sample: Sample): Report {
  const tools = installedTools('mutation')
  const directory = temporaryFolder('mutation-')
  const [configFile, fileName] = [join(directory, 'stryker.json'), join(directory, 'report.json')]
  const config = {
    mutate: [
      folder.endsWith('.ts') ? folder : `${folder}/**/*.ts`,
      ...IN_THREADS.map((files) => `!${files}`),
    ],
    // Most texts are SQL, which no longer runs without them, and messages.
    mutator: { excludedMutations: ['StringLiteral'] },
    testRunner: 'vitest',
    vitest: { configFile: 'test/tools/mutation/vitest.config.ts', related: false },
    plugins: [
      join(tools, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js'),
      fileURLToPath(new URL('sample.ts', import.meta.url)),
    ],
    checkers: ['sample'],
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    timeoutMS: 15_000,
    // Stryker reads it with an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    ignorePatterns: ['bench', '.data'],
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName },
  }
  writeFileSync(configFile, JSON.stringify(config))
  const include = TESTS[folder]?.map((name) => `test/${name}{*.test.ts,/**/*.test.ts}`)
  if (include === undefined)
    throw new Error(`${folder} has no tests here. Folders: ${Object.keys(TESTS).join(', ')}`)
  const { status } = spawnSync(
    process.execPath,
    [join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', configFile],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        MUTATION_TESTS: JSON.stringify(include),
        MUTATION_SAMPLE: JSON.stringify(sample),
      },
    },
  )
  if (status !== 0) throw new Error(`Stryker ended with ${status}`)
  return JSON.parse(readFileSync(fileName, 'utf8')) as Report
}

function score(
  report: Report,
  folder: string,
  { oneIn }: Sample,
  reasons: ReadonlyMap<string, string | undefined>,
): Score {
  const mutants = Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({
      ...mutant,
      text: describe(file === folder ? basename(file) : relative(folder, file), source, mutant),
    })),
  )
  const count = (...statuses: Mutant['status'][]) =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  const survivors = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ text }) => ({ mutant: text, reason: reasons.get(text) }))
  const equivalent = survivors.filter(({ reason }) => reason?.startsWith('equivalent')).length
  const [killed, survived] = [count('Killed', 'Timeout'), survivors.length - equivalent]
  const percent = Math.round((1_000 * killed) / (killed + survived)) / 10
  return { percent, ...(oneIn > 1 && { oneIn }), killed, survived, equivalent, survivors }
}

/** A name that stays the same while other lines change. */
function describe(file: string, source: string, { location, replacement = '', mutatorName }: Mutant): string {
  const lines = source.split('\n').slice(location.start.line - 1, location.end.line)
  const last = lines.length - 1
  lines[last] = lines[last]!.slice(0, location.end.column - 1)
  lines[0] = lines[0]!.slice(location.start.column - 1)
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80)
  return `${file}: ${short(lines.join(' '))} -> ${short(replacement) || mutatorName}`
}

const scores: Record<string, Score> = existsSync(scoresFile)
  ? (JSON.parse(readFileSync(scoresFile, 'utf8')) as Record<string, Score>)
  : {}
const { values, positionals: given } = parseArgs({
  options: { 'one-in': { type: 'string', default: '1' }, from: { type: 'string', default: '0' } },
  allowPositionals: true,
})
const sample = { oneIn: Number(values['one-in']), from: Number(values.from) }
for (const folder of given.length > 0 ? given : Object.keys(TESTS)) {
  const reasons = new Map(scores[folder]?.survivors.map(({ mutant, reason }) => [mutant, reason]))
  scores[folder] = score(runMutants(folder, sample), folder, sample, reasons)
  const sorted = Object.fromEntries(Object.entries(scores).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(scoresFile, `${JSON.stringify(sorted, null, 2)}\n`)
  const { percent, killed, survived, equivalent } = scores[folder]
  process.stdout.write(
    `${folder}: ${percent} % killed (${killed}), ${survived} survived, ${equivalent} equivalent\n`,
  )
}
