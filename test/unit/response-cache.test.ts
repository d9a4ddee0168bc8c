import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createResponseCache } from '../../rest/plugins/response-cache/response-cache.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'

test('while the versions cannot be checked, a request shares only a read that started after it', async () => {
  const cache = createResponseCache({
    readVersions: { latest: () => ({ agents: '1' }), current: async () => null },
    maxBytes: 10_000,
    metrics: createMetrics(),
  })
  let committed = 'before'
  let reads = 0
  const finished = Promise.withResolvers<void>()
  const get = async (): Promise<string> => {
    const readBody = async (): Promise<string> => {
      const read = committed
      reads += 1
      await finished.promise
      return read
    }
    return String((await cache.get({ key: '', tables: ['agents'], mediaType: 'text/plain', readBody })).body)
  }
  const responses = [get()]
  committed = 'after'
  responses.push(get(), get())
  // Now all three have started a read or joined one.
  await setImmediate()
  finished.resolve()
  expect(await Promise.all(responses)).toEqual(['before', 'after', 'after'])
  expect(reads).toBe(2)
})
