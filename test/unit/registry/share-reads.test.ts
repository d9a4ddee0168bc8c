import { expect, test } from 'vitest'
import { shareReads } from '../../../src/registry/registry.ts'

/** Reads that end when the test ends them. */
function controlledReads(timeoutMs = 60_000) {
  const started: PromiseWithResolvers<number>[] = []
  const read = shareReads(() => {
    started.push(Promise.withResolvers())
    return started.at(-1)!.promise
  }, timeoutMs)
  return { started, read }
}

/** Waits until settled promises have run their callbacks and the next read has started. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('callers during a read share the next read', async () => {
  const { started, read } = controlledReads()
  const first = read()
  const beforeItStarts = read()
  await settle()
  const during = [read(), read()]
  await settle()
  expect(started).toHaveLength(1)
  started[0]!.resolve(1)
  expect(await Promise.all([first, beforeItStarts])).toEqual([1, 1])
  await settle()
  const after = read()
  await settle()
  expect(started).toHaveLength(2)
  started[1]!.resolve(2)
  expect(await Promise.all(during)).toEqual([2, 2])
  await settle()
  expect(started).toHaveLength(3)
  started[2]!.resolve(3)
  expect(await after).toBe(3)
})

test('a failed read rejects for all its callers, and the next read starts', async () => {
  const { started, read } = controlledReads()
  const failing = [read(), read()]
  await settle()
  const next = read()
  started[0]!.reject(new Error('gone'))
  expect(await Promise.allSettled(failing)).toMatchObject([
    { reason: { message: 'gone' } },
    { status: 'rejected' },
  ])
  await settle()
  started[1]!.resolve(2)
  expect(await next).toBe(2)
})

test('a read that exceeds the timeout returns null, and the next read starts', async () => {
  const { started, read } = controlledReads(100)
  const first = read()
  await settle()
  const during = [read(), read()]
  expect(await first).toBeNull()
  await settle()
  expect(started).toHaveLength(2)
  started[1]!.resolve(2)
  expect(await Promise.all(during)).toEqual([2, 2])
  const after = read()
  await settle()
  // The late result of the first read changes nothing.
  started[0]!.reject(new Error('gone'))
  started[2]!.resolve(3)
  expect(await after).toBe(3)
})
