import { describe, expect, test } from 'vitest'
import { PATIENCE_MS, watchQueue } from '../../../src/platform/overload/standing-queue.ts'

const CONNECTIONS = 10

/** A queue of first come, first served, in simulated time: so much a millisecond, as the pool works through it. */
function simulatedQueue(workPerMs: number) {
  let now = 0
  let taken = 0
  let credit = 0
  const waiting: number[] = []
  const waits: number[] = []
  const clock = { now: () => now }
  const queue = {
    connections: CONNECTIONS,
    get length() {
      return waiting.length
    },
    get taken() {
      return taken
    },
  }
  const tooLong = watchQueue(queue, clock, PATIENCE_MS)
  return {
    waits,
    /** Whether it is taken in hand. */
    arrive(): boolean {
      if (tooLong()) return false
      waiting.push(now)
      return true
    },
    /** One millisecond; how much was worked through in it. */
    pass(pace = workPerMs): number {
      now += 1
      credit += pace
      let done = 0
      for (; credit >= 1 && waiting.length > 0; credit -= 1, done += 1)
        waits.push(now - (waiting.shift() ?? now))
      if (waiting.length === 0) credit = Math.min(credit, 1)
      taken += done
      return done
    },
  }
}

/** Offers `timesCapacity` of what the queue can do, for so long. */
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

describe.each([0.1, 0.4, 2, 8])('at a capacity of %d a millisecond', (capacity) => {
  test('three times as much: as much is answered as without refusals, and nobody waits for long', () => {
    const queue = simulatedQueue(capacity)
    const { worked, refused, offered } = offer(queue, 3 * capacity, 20_000)
    expect(worked).toBeGreaterThanOrEqual(0.99 * capacity * 20_000)
    expect(refused / offered).toBeGreaterThan(0.6)
    // It takes the first patience's worth to be told from a burst, three times what is worked through in it; then it shrinks to one.
    const settled = queue.waits.slice(Math.floor(queue.waits.length / 10))
    const longest = settled.reduce((one, other) => Math.max(one, other))
    expect(longest).toBeLessThanOrEqual(1.1 * Math.max(PATIENCE_MS, CONNECTIONS / capacity))
  })

  test('less than it can do: nothing is refused, and a burst after it neither', () => {
    const queue = simulatedQueue(capacity)
    expect(offer(queue, 0.9 * capacity, 20_000).refused).toBe(0)
    for (let i = 0; i < 400; i += 1) expect(queue.arrive()).toBe(true)
  })

  test('clients that wait for each answer, as many as are done in half the time, are all answered', () => {
    const queue = simulatedQueue(capacity)
    const clients = Math.max(CONNECTIONS, Math.floor((capacity * PATIENCE_MS) / 2))
    let free = clients
    for (let i = 0; i < 5_000; i += 1) {
      for (; free > 0; free -= 1) expect(queue.arrive()).toBe(true)
      free += queue.pass()
    }
  })
})

test('where nothing is worked through, what is worked on at once may wait and no more, until it goes on', () => {
  const queue = simulatedQueue(1)
  const stuck = (ms: number): void => {
    for (let i = 0; i < ms; i += 1) queue.pass(0)
  }
  for (let i = 0; i < 5; i += 1) queue.arrive()
  stuck(PATIENCE_MS)
  const taken = Array.from({ length: 20 }, () => queue.arrive()).filter(Boolean)
  expect(taken).toHaveLength(CONNECTIONS - 5)
  stuck(10 * PATIENCE_MS)
  expect(queue.arrive()).toBe(false)
  for (let i = 0; i < 2 * CONNECTIONS; i += 1) queue.pass()
  expect(queue.arrive()).toBe(true)
})
