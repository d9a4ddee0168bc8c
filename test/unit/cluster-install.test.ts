import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startDatabase } from '../../src/gateway/database.ts'
import { OperatorError } from '../../src/platform/process/operator-error.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** All modules that a module loads by static imports. */
function loadedWith(entry: string, seen = new Set<string>()): Set<string> {
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
test.each(['src/gateway/run-server.ts', 'src/cli/program.ts'])(
  '%s loads without the VM and the local program',
  (entry) => {
    const loaded = loadedWith(entry)
    expect(loaded.size).toBeGreaterThan(100)
    expect(
      Array.from(loaded).filter((each) => /^(litesvm|program\/.*\.ts|src\/localnet\/)/.test(each)),
    ).toEqual([])
  },
)

test.each(['src/gateway/run-server.ts', 'src/cli/program.ts'])(
  '%s loads packages of production alone',
  (entry) => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>
    }
    const loaded = loadedWith(entry)
    expect(Object.keys(devDependencies).filter((name) => loaded.has(name))).toEqual([])
  },
)

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
