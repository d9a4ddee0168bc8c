import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { importsOf, linesOf, root, sourceFiles, textOf } from '../../support/source-files.ts'
import { measureFlows } from './flows.ts'

// Prints how large the code is and how much of it belongs together. `npm run house -- list` also
// prints which files and functions are meant.

const production = sourceFiles('{src,rest,schema}/**/*.ts')
const imports = new Map(production.map((file) => [file, importsOf(file)]))
const importers = new Map<string, string[]>()
for (const [file, all] of imports)
  for (const each of new Set(all)) importers.set(each, [...(importers.get(each) ?? []), file])

const sum = (files: readonly string[]): number => files.reduce((total, file) => total + linesOf(file), 0)

/** Routes, commands and tables are imported by a list of them. */
const LISTS = /(^src\/cli\/(commands|registry\/command)|^schema\/index|\/entities\/index)\.ts$/

/** Files that only one other file imports, in the same folder. */
const readTogether = production.filter((file) => {
  const [only, second] = importers.get(file) ?? []
  const isFirst = only !== undefined && second === undefined
  return isFirst && dirname(only) === dirname(file) && !LISTS.test(only)
})

const partOf = (file: string): string | null => /^src\/([^/]+)\//.exec(file)?.[1] ?? null

/** Imports between two folders of `src`, each pair once. */
function ties(): string[] {
  const found = new Set<string>()
  for (const [file, all] of imports)
    for (const each of all) {
      const [from, to] = [partOf(file), partOf(each)]
      if (from !== null && to !== null && from !== to) found.add(`${from} -> ${to}`)
    }
  return [...found].sort()
}

function longFunctions(): string[] {
  const config = join(import.meta.dirname, 'functions.json')
  const { stdout } = spawnSync('oxlint', ['-c', config, '--format', 'unix', 'src', 'rest', 'schema'], {
    cwd: root,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter((line) => line.includes('max-lines-per-function'))
}

/** Entities of which an EntityManager finds, makes or changes rows. */
function managedEntities(): string[] {
  const entities = sourceFiles('src/db/entities/*.ts').flatMap((file) =>
    [...textOf(file).matchAll(/export const (\w+) = defineEntity/g)].map(([, name = '']) => name),
  )
  const code = production.map(textOf).join('\n')
  const methods = 'find\\w*|create|insert\\w*|upsert\\w*|merge|native\\w+|count|getReference|getRepository'
  const call = String.raw`\b(em|transaction)(\s*\.fork\(\))?\s*\.(${methods})\(\s*`
  return entities.filter((name) => new RegExp(`${call}${name}\\b`).test(code))
}

const folders = [...new Set(production.flatMap((file) => partOf(file) ?? []))].sort()
const long = longFunctions()
const managed = managedEntities()
const tests = sourceFiles('test/**/*.ts')
const packages = sourceFiles('packages/*/{src,*}/**/*.ts').filter(
  (file) => !/^packages\/console\/|\/test\/|\/dist\//.test(file),
)
const browser = sourceFiles('packages/console/src/**/*.{ts,tsx,css}')
const flows = await measureFlows()

const rows: [string, number, readonly string[]][] = [
  ['Lines of src, rest and schema', sum(production), []],
  ['Lines of packages, without console and tests', sum(packages), []],
  ['Lines of the console, TypeScript and CSS', sum(browser), []],
  ['Files of src, rest and schema', production.length, []],
  ['Files with one importer, in the same folder', readTogether.length, readTogether],
  ...flows.map(({ name, files }): [string, number, readonly string[]] => [
    `Files that run: ${name}`,
    files.length,
    files,
  ]),
  ['Folders of src', folders.length, folders],
  ['Ties between folders of src', ties().length, ties()],
  ['Functions above 60 lines', long.length, long],
  ['Entities used by the EntityManager', managed.length, managed],
  ['Lines of test', sum(tests), []],
  ['Lines of test/support', sum(tests.filter((file) => file.startsWith('test/support/'))), []],
]
const listed = process.argv.includes('list')
for (const [name, value, items] of rows) {
  process.stdout.write(`${name.padEnd(48)}${String(value).padStart(8)}\n`)
  if (listed) for (const item of items) process.stdout.write(`    ${item}\n`)
}
