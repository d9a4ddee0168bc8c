import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, root, sourceFiles, textOf } from '../support/source-files.ts'

/**
 * The parts, from the bottom to the top. A file may import its own part and parts below it. Parts
 * in the same row must not import each other.
 */
const LAYERS = [
  ['packages'],
  ['src/domain'],
  ['src/platform'],
  ['src/db'],
  ['src/ledger'],
  ['src/registry'],
  ['src/webhooks'],
  ['src/identity'],
  ['src/transactions'],
  ['src/health'],
  ['src/compose/operators.ts'],
  ['src/compose/services.ts'],
  ['schema'],
  ['rest'],
  ['src/compose'],
  ['src/cli', 'src/server.ts'],
]

const files = sourceFiles('{src,schema,rest}/**/*.ts')
const imports = new Map(files.map((file) => [file, importsOf(file)]))

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

/** The import cycles, each as the paths of its files in order. */
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

test('src does not import GraphQL or HTTP libraries', () => {
  const protocols = /^(graphql|@pothos|fastify|@fastify|typebox)/
  expect(importsMatching('src/', protocols)).toEqual([])
})

test('schema does not import HTTP libraries', () => {
  expect(importsMatching('schema/', /^(fastify|@fastify|graphql-yoga|node:http)/)).toEqual([])
})

test('rest does not import the database or the ledger', () => {
  expect(importsMatching('rest/', /^(kysely|pg|@mikro-orm|src\/(db|ledger)\/)/)).toEqual([])
})

test('src has at most 11 folders, and rest at most 8 files of its own', () => {
  const loose = (folder: string) => files.filter((file) => dirname(file) === folder)
  expect(
    new Set(files.filter((file) => /^src\/.+\//.test(file)).map((file) => file.split('/')[1])).size,
  ).toBeLessThanOrEqual(11)
  expect(loose('rest').length).toBeLessThanOrEqual(8)
})

/** What tests of packages share with those of the gateway. */
const SHARED_SUPPORT = new Set(
  ['property', 'machine-speed', 'eventually'].map((name) => `test/support/${name}.ts`),
)
const [WIRE, BORSH] = ['@agent-registry/solana/wire', '@agent-registry/solana/borsh']
const PACKAGES = {
  '@agent-registry/solana': { folder: 'packages/solana', imports: [] as string[] },
  '@agent-registry/program': {
    folder: 'packages/registry-program',
    imports: ['@agent-registry/solana', BORSH],
  },
  '@agent-registry/client': { folder: 'packages/client', imports: [WIRE, BORSH] },
  '@agent-registry/localnet': { folder: 'packages/localnet', imports: ['@agent-registry/solana'] },
}

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(textOf(`${folder}/package.json`)) as Manifest
}

/** The imports of all TypeScript files in these folders, with the file that imports. */
function importsIn(pattern: string): { file: string; imported: string }[] {
  const found = globSync(pattern, { cwd: root, exclude: (path) => path.includes('node_modules') })
  return found.flatMap((file) => importsOf(file).map((imported) => ({ file, imported })))
}

test.each(Object.entries(PACKAGES))(
  '%s depends on no file outside its folder',
  (name, { folder, imports }) => {
    expect(manifestOf(folder).name).toBe(name)
    const all = importsIn(`${folder}/**/*.ts`)
    expect(all.length).toBeGreaterThan(10)
    const isOutside = ({ imported }: { imported: string }) =>
      /\.(ts|json)$/.test(imported) && !imported.startsWith(`${folder}/`)
    const isCheck = ({ file, imported }: (typeof all)[number]) =>
      SHARED_SUPPORT.has(imported) && file.startsWith(`${folder}/test/`)
    expect(all.filter((each) => isOutside(each) && !isCheck(each))).toEqual([])
    const inSource = all.filter(({ file }) => !file.startsWith(`${folder}/test/`))
    const packages = inSource.filter(({ imported }) => imported.startsWith('@agent-registry/'))
    expect(packages.filter(({ imported }) => !imports.includes(imported))).toEqual([])
  },
)

test.each(Object.entries(PACKAGES))(
  '%s declares every dependency, in the version of the root',
  (_, { folder }) => {
    const { dependencies: own = {}, devDependencies = {}, peerDependencies = {} } = manifestOf(folder)
    const dependencies = { ...own, ...peerDependencies }
    const used = importsIn(`${folder}/**/*.ts`).filter(
      ({ imported }) => !/^node:|\.(ts|json)$/.test(imported),
    )
    const undeclared = used.filter(({ file, imported }) => {
      const isTest = file.startsWith(`${folder}/test/`)
      const declared = isTest ? { ...dependencies, ...devDependencies } : dependencies
      return declared[/^(@[^/]+\/)?[^/]+/.exec(imported)![0]] === undefined
    })
    expect(undeclared).toEqual([])
    const top = manifestOf('.')
    const versions: Record<string, string> = { ...top.dependencies, ...top.devDependencies }
    for (const [name, version] of Object.entries({ ...own, ...devDependencies }))
      expect(`${name} ${version}`).toBe(`${name} ${versions[name] ?? version}`)
  },
)

test('code outside the packages imports them by name', () => {
  const all = importsIn('{src,schema,rest,test,bench,ops}/**/*.ts')
  expect(all.length).toBeGreaterThan(1000)
  expect(all.filter(({ imported }) => imported.startsWith('packages/'))).toEqual([])
})

test('all packages of MikroORM have the version of mikro-orm', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> }
  const versions = Object.entries(dependencies).filter(([name]) => /^(@mikro-orm\/|mikro-orm$)/.test(name))
  expect(versions.length).toBeGreaterThan(3)
  expect(new Set(versions.map(([, version]) => version))).toEqual(new Set([dependencies['mikro-orm']]))
})
