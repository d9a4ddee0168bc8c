import { expect, test } from 'vitest'
import { shareLooks } from '../../../src/db/read-versions/share-looks.ts'

/** Looks that end when the test says so. */
function heldLooks(deadlineMs = 60_000) {
  const started: PromiseWithResolvers<number>[] = []
  const look = shareLooks(() => {
    started.push(Promise.withResolvers())
    return started.at(-1)!.promise
  }, deadlineMs)
  return { started, look }
}

/** Every promise that is settled has told so, and a look that may start has. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('who calls while one is under way gets the next, and all of them the same', async () => {
  const { started, look } = heldLooks()
  const first = look()
  const beforeItStarts = look()
  await settle()
  const during = [look(), look()]
  await settle()
  expect(started).toHaveLength(1)
  started[0]!.resolve(1)
  expect(await Promise.all([first, beforeItStarts])).toEqual([1, 1])
  await settle()
  const after = look()
  await settle()
  expect(started).toHaveLength(2)
  started[1]!.resolve(2)
  expect(await Promise.all(during)).toEqual([2, 2])
  await settle()
  expect(started).toHaveLength(3)
  started[2]!.resolve(3)
  expect(await after).toBe(3)
})

test('a look that fails tells those who share it, and the next one starts all the same', async () => {
  const { started, look } = heldLooks()
  const failing = [look(), look()]
  await settle()
  const next = look()
  started[0]!.reject(new Error('gone'))
  expect(await Promise.allSettled(failing)).toMatchObject([
    { reason: { message: 'gone' } },
    { status: 'rejected' },
  ])
  await settle()
  started[1]!.resolve(2)
  expect(await next).toBe(2)
})

test('a look that does not come back is waited for no longer, and the next one starts', async () => {
  const { started, look } = heldLooks(100)
  const first = look()
  await settle()
  const during = [look(), look()]
  expect(await first).toBeNull()
  await settle()
  expect(started).toHaveLength(2)
  started[1]!.resolve(2)
  expect(await Promise.all(during)).toEqual([2, 2])
  const after = look()
  await settle()
  // Too late, whatever it says.
  started[0]!.reject(new Error('gone'))
  started[2]!.resolve(3)
  expect(await after).toBe(3)
})
