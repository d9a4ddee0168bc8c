import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The parts from the bottom to the top. A file imports its own part and parts below it. Parts of
 * one row do not import each other.
 */
const LAYERS = [
  ['packages'],
  ['src/domain'],
  ['src/platform'],
  ['src/db'],
  ['src/ledger'],
  ['src/agents', 'src/stakes', 'src/webhooks'],
  ['src/identity'],
  ['src/agent-cards'],
  ['src/relay'],
  ['src/sponsorship', 'src/live-events'],
  ['src/health'],
  ['src/services.ts'],
  ['schema'],
  ['rest'],
  ['src/gateway'],
  ['src/cli', 'src/server.ts'],
]

const files = globSync('{src,schema,rest}/**/*.ts', { cwd: root }).filter(
  (file) => !file.includes('generated'),
)
const imports = new Map(files.map((file) => [file, importsOf(file)]))

/** Packages by name, files by their path from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1]!)
  return specifiers.map((each) =>
    each.startsWith('.') ? relative(root, join(root, dirname(file), each)) : each,
  )
}

function layerOf(file: string): { part: string; layer: number } | null {
  for (const [layer, parts] of LAYERS.entries()) {
    const part = parts.find((each) => file === each || file.startsWith(`${each}/`))
    if (part !== undefined) return { part, layer }
  }
  return null
}

function importsMatching(folder: string, forbidden: RegExp): string[] {
  return [...imports]
    .filter(([file]) => file.startsWith(folder))
    .flatMap(([file, all]) => all.filter((each) => forbidden.test(each)).map((each) => `${file} -> ${each}`))
}

/** Files that import each other, directly or not, as the paths of one way round. */
function cycles(): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) found.push([...path.slice(start), file].join(' -> '))
    if (start >= 0 || done.has(file)) return
    for (const each of imports.get(file) ?? []) visit(each, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}

test('every file belongs to one part', () => {
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => layerOf(file) === null)).toEqual([])
})

test('no file imports a part above its own', () => {
  const upward = [...imports].flatMap(([file, all]) => {
    const from = layerOf(file)!
    return all.flatMap((each) => {
      const to = layerOf(each)
      const allowed = to === null || to.part === from.part || to.layer < from.layer
      return allowed ? [] : [`${file} -> ${each}`]
    })
  })
  expect(upward).toEqual([])
})

test('there are no import cycles', () => {
  expect(cycles()).toEqual([])
})

test('services know neither GraphQL nor HTTP', () => {
  const protocols = /^(graphql|@pothos|dataloader|fastify|@fastify|typebox)/
  expect(importsMatching('src/', protocols)).toEqual([])
})

test('the schema knows no protocol', () => {
  expect(importsMatching('schema/', /^(fastify|@fastify|graphql-yoga|node:http)/)).toEqual([])
})

test('REST reaches data through the schema only', () => {
  expect(importsMatching('rest/', /^(kysely|pg|@mikro-orm|src\/(db|ledger)\/)/)).toEqual([])
})

test('the folders stay few', () => {
  const loose = (folder: string) => files.filter((file) => dirname(file) === folder)
  expect(
    new Set(files.filter((file) => /^src\/.+\//.test(file)).map((file) => file.split('/')[1])).size,
  ).toBeLessThanOrEqual(15)
  expect(loose('rest').length).toBeLessThanOrEqual(8)
})
