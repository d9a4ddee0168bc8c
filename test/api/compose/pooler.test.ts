import { expect, test, vi } from 'vitest'
import type { Logger } from '../../../src/platform/logger.ts'
import { startDatabase } from '../../../src/compose/database.ts'
import { useTestDatabase } from '../../support/database.ts'
import { databaseUrl } from '../../support/database-server.ts'

const database = useTestDatabase()

async function warningsAtStart(settings: string): Promise<string[]> {
  const url = new URL(databaseUrl(database.connection))
  // Settings in the URL replace those of the gateway, as if a pooler had dropped them.
  if (settings !== '') url.searchParams.set('options', settings)
  const warn = vi.fn<(message: string) => void>()
  const config = { databaseUrl: url.href, databaseWaitMs: 5_000, dataDir: '' }
  const started = await startDatabase(config, { warn } as unknown as Logger)
  await started.stop()
  return warn.mock.calls.flat()
}

test('the start warns if a pooler drops the settings of the connections', async () => {
  expect(await warningsAtStart('')).toEqual([])
  expect(await warningsAtStart('-c work_mem=4MB')).toEqual([expect.stringContaining('pooler')])
  expect(await warningsAtStart('-c statement_timeout=15s')).toEqual([])
})
