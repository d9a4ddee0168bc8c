import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { COMMANDS } from '../../../src/cli/commands.ts'
import { startDatabase } from '../../../src/compose/database.ts'
import { OperatorError } from '../../../src/platform/process/operator-error.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

// Commands are loaded only if they are used.
const ENTRIES = { 'the service': ['src/compose/run-server.ts'], 'a command': globSync('src/cli/**/*.ts') }

/** All modules that these modules load by static imports. */
function loadedBy(entries: readonly string[]): Set<string> {
  const seen = new Set<string>()
  for (const entry of entries) loadedWith(entry, seen)
  return seen
}

function loadedWith(entry: string, seen: Set<string>): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  if (!entry.endsWith('.ts')) return seen
  const text = readFileSync(join(ROOT, entry), 'utf8')
  for (const [, , specifier = ''] of text.matchAll(/^(import|export) (?!type )[^'"]*?['"]([^'"]+)['"]/gms)) {
    loadedWith(
      specifier.startsWith('.') ? relative(ROOT, join(ROOT, dirname(entry), specifier)) : specifier,
      seen,
    )
  }
  return seen
}

// ops/Dockerfile leaves the VM's binary, the localnet's program and the development packages out.
test.each(Object.entries(ENTRIES))('%s loads without the VM and the local program', (_, entries) => {
  const loaded = loadedBy(entries)
  expect(loaded.size).toBeGreaterThan(100)
  expect(
    Array.from(loaded).filter((each) => /^(litesvm|program\/.*\.ts|src\/localnet\/)/.test(each)),
  ).toEqual([])
})

test.each(Object.entries(ENTRIES))('%s loads packages of production alone', (_, entries) => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const loaded = loadedBy(entries)
  expect(Object.keys(devDependencies).filter((name) => loaded.has(name))).toEqual([])
})

test('help loads only the parser of arguments, and each command has the name of its entry', async () => {
  const { dependencies } = packageJson
  const loaded = loadedBy(['src/cli/program.ts'])
  expect(Object.keys(dependencies).filter((name) => loaded.has(name))).toEqual(['commander'])
  for (const [name, { load }] of Object.entries(COMMANDS)) expect((await load())().name()).toBe(name)
})

test('an unreachable database is reported by address, without its password', async () => {
  const config = {
    databaseUrl: 'postgresql://user:hunter2@127.0.0.1:1/agents',
    databaseWaitMs: 5_000,
    dataDir: '/nowhere',
  }
  const starting = startDatabase(config, pino({ level: 'silent' }))
  await expect(starting).rejects.toThrow(OperatorError)
  await expect(starting).rejects.toThrow(
    'DATABASE_URL: 127.0.0.1:1/agents is not usable: connect ECONNREFUSED 127.0.0.1:1',
  )
})
