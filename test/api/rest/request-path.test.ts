import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { NO_LEDGER, useTestApp } from '../../support/app.ts'
import { insertAgents } from '../../support/factories.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MAX_FILES = 49

const t = useTestApp({
  ledger: NO_LEDGER,
  rateLimits: { reads: 1_000 },
  overload: { inFlight: 1_000 },
})
beforeAll(() => insertAgents(t.kysely, ['One', 'Two']))

/** The files of the project in which at least one function runs during the request. */
async function executedFiles(session: Session, url: string): Promise<string[]> {
  // Resets the counters.
  await session.post('Profiler.takePreciseCoverage')
  expect((await t.app.inject(url)).statusCode).toBe(200)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .map((script) => relative(ROOT, script.url.replace('file://', '')))
    .filter((file) => /^(src|rest|schema)\//.test(file))
}

test(`GET /agents on a cache miss executes at most ${MAX_FILES} files`, async () => {
  await t.app.inject('/agents?limit=1')
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  let files = new Set(await executedFiles(session, '/agents?limit=2'))
  // Each limit is a new entry of the cache. Files of background work do not occur in every request.
  for (let limit = 3; limit < 8; limit += 1)
    files = files.intersection(new Set(await executedFiles(session, `/agents?limit=${limit}`)))
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  expect(files).toContain('src/registry/agents/list-agents.ts')
  expect(files.size, `executed files:\n${[...files].sort().join('\n')}`).toBeLessThanOrEqual(MAX_FILES)
})
