import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TransactionUpdates } from '../../../src/transactions/watch.ts'

const NEVER = 3_600_000

/** Whether it has resolved after the work that can be done now. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false
  void promise.then(() => (over = true))
  await nextTurn()
  return over
}

test('everybody who waits for a transaction learns of its next write, and nobody else does', async () => {
  const updates = new TransactionUpdates()
  const [first, second, other] = ['a', 'a', 'b'].map((id) => updates.next(id, NEVER))
  expect(await isOver(Promise.race([first, second, other]))).toBe(false)
  updates.notify('nobody waits')
  updates.notify('a')
  await Promise.all([first, second])
  expect(await isOver(other!)).toBe(false)
  const next = updates.next('a', NEVER)
  expect(await isOver(next)).toBe(false)
  updates.notify('a')
  updates.notify('b')
  await Promise.all([next, other])
})

test('who stops to wait does not end the wait of others', async () => {
  const updates = new TransactionUpdates()
  const abort = new AbortController()
  const [stays, leaves] = [updates.next('a', NEVER), updates.next('a', NEVER, abort.signal)]
  expect(await isOver(leaves)).toBe(false)
  abort.abort()
  await leaves
  await updates.next('a', 1)
  expect(await isOver(stays)).toBe(false)
  updates.notify('a')
  await stays
})

test('nobody waits with a signal that is aborted', async () => {
  expect(await isOver(new TransactionUpdates().next('a', NEVER, AbortSignal.abort()))).toBe(true)
})
