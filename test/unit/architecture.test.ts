import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = globSync(['src/**/*.ts', 'schema/**/*.ts', 'rest/**/*.ts'], { cwd: root }).map((file) => ({
  file,
  imports: importsOf(file),
}))

/** The files that put the layers together; all others know only what lies below them. */
const COMPOSITION = new Set(['src/app.ts', 'src/gateway.ts', 'src/server.ts'])

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1]!)
  return specifiers.map((each) =>
    each.startsWith('.') ? relative(root, join(root, dirname(file), each)) : each,
  )
}

function violations(folder: string, forbidden: RegExp): string[] {
  return sources
    .filter(({ file }) => file.startsWith(folder) && !COMPOSITION.has(file))
    .flatMap(({ file, imports }) =>
      imports.filter((each) => forbidden.test(each)).map((each) => `${file} imports ${each}`),
    )
}

test('the files are found, and their imports are read', () => {
  expect(sources.length).toBeGreaterThan(50)
  expect(importsOf('src/app.ts')).toEqual(expect.arrayContaining(['fastify', 'rest/index.ts']))
})

test('services know neither GraphQL nor HTTP', () => {
  expect(
    violations('src/', /^(graphql|@pothos|dataloader|fastify|@fastify|typebox|schema\/|rest\/)/),
  ).toEqual([])
})

test('the schema knows no protocol', () => {
  expect(violations('schema/', /^(fastify|@fastify|graphql-yoga|node:http|rest\/|src\/app)/)).toEqual([])
})

test('REST reaches data through the schema only', () => {
  expect(violations('rest/', /^(kysely|pg|@mikro-orm|src\/(db|entities|ledger)\/)/)).toEqual([])
})
