import { describe, expect, test } from 'vitest'
import { QUEUE_DELAY_MS, watchQueueDelay } from '../../../src/platform/overload/admission.ts'

const CONNECTIONS = 10

/** A FIFO queue in simulated time. The pool finishes `workPerMs` items per millisecond. */
function simulatedQueue(workPerMs: number) {
  let now = 0
  let acquired = 0
  let credit = 0
  const waiting: number[] = []
  const waits: number[] = []
  const clock = { now: () => now }
  const queue = {
    connections: CONNECTIONS,
    get length() {
      return waiting.length
    },
    get acquired() {
      return acquired
    },
  }
  const tooLong = watchQueueDelay(queue, clock, QUEUE_DELAY_MS)
  return {
    waits,
    /** Returns whether the new work was admitted. */
    arrive(): boolean {
      if (tooLong()) return false
      waiting.push(now)
      return true
    },
    /** Lets one millisecond pass. Returns how much work was finished in it. */
    pass(pace = workPerMs): number {
      now += 1
      credit += pace
      let done = 0
      for (; credit >= 1 && waiting.length > 0; credit -= 1, done += 1)
        waits.push(now - (waiting.shift() ?? now))
      if (waiting.length === 0) credit = Math.min(credit, 1)
      acquired += done
      return done
    },
  }
}

/** Offers `perMs` new items per millisecond for `ms` milliseconds. */
function offer(queue: ReturnType<typeof simulatedQueue>, perMs: number, ms: number) {
  let [due, offered, refused, worked] = [0, 0, 0, 0]
  for (let i = 0; i < ms; i += 1) {
    for (due += perMs; due >= 1; due -= 1) {
      offered += 1
      if (!queue.arrive()) refused += 1
    }
    worked += queue.pass()
  }
  return { offered, refused, worked }
}

describe.each([0.1, 0.4, 2, 8])('with a capacity of %d requests per millisecond', (capacity) => {
  test('at three times the capacity the full capacity is used and no admitted work waits long', () => {
    const queue = simulatedQueue(capacity)
    const { worked, refused, offered } = offer(queue, 3 * capacity, 20_000)
    expect(worked).toBeGreaterThanOrEqual(0.99 * capacity * 20_000)
    expect(refused / offered).toBeGreaterThan(0.6)
    // The first window is taken for a burst, so the first tenth of the waits may be longer.
    const settled = queue.waits.slice(Math.floor(queue.waits.length / 10))
    const longest = settled.reduce((one, other) => Math.max(one, other))
    expect(longest).toBeLessThanOrEqual(1.1 * Math.max(QUEUE_DELAY_MS, CONNECTIONS / capacity))
  })

  test('below capacity nothing is refused, and a burst afterwards is not refused either', () => {
    const queue = simulatedQueue(capacity)
    expect(offer(queue, 0.9 * capacity, 20_000).refused).toBe(0)
    for (let i = 0; i < 400; i += 1) expect(queue.arrive()).toBe(true)
  })

  test('closed-loop clients that need half of the allowed delay are never refused', () => {
    const queue = simulatedQueue(capacity)
    const clients = Math.max(CONNECTIONS, Math.floor((capacity * QUEUE_DELAY_MS) / 2))
    let free = clients
    for (let i = 0; i < 5_000; i += 1) {
      for (; free > 0; free -= 1) expect(queue.arrive()).toBe(true)
      free += queue.pass()
    }
  })
})

test('while no work is finished, as many as there are connections may wait; the rest is refused', () => {
  const queue = simulatedQueue(1)
  const stuck = (ms: number): void => {
    for (let i = 0; i < ms; i += 1) queue.pass(0)
  }
  for (let i = 0; i < 5; i += 1) queue.arrive()
  stuck(QUEUE_DELAY_MS)
  const taken = Array.from({ length: 20 }, () => queue.arrive()).filter(Boolean)
  expect(taken).toHaveLength(CONNECTIONS - 5)
  stuck(10 * QUEUE_DELAY_MS)
  expect(queue.arrive()).toBe(false)
  for (let i = 0; i < 2 * CONNECTIONS; i += 1) queue.pass()
  expect(queue.arrive()).toBe(true)
})
