import { array, assert, asyncProperty, integer, nat, record } from '../../support/property.ts'
import { expect, test } from 'vitest'
import { pipelined } from '../../../src/platform/async/pipeline.ts'

interface Job {
  input: number
  finish: () => void
  fail: (reason: Error) => void
}

/** Work that ends when the test calls `finish` or `fail`. */
function controlled() {
  const jobs: Job[] = []
  const done = { input: 0, finish: () => {}, fail: () => {} }
  const work = (input: number): Promise<number> =>
    new Promise((resolve, reject) => {
      jobs.push({ input, finish: () => resolve(input * 10), fail: reject })
    })
  const job = (input: number): Job => jobs.find((each) => each.input === input) ?? done
  return { jobs, work, job }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('results come in order, all ready ones at once, and the number of running tasks stays limited', async () => {
  const { jobs, work, job } = controlled()
  const results = pipelined([1, 2, 3, 4, 5, 6], 3, work)
  const first = results.next()
  await settle()
  expect(jobs.map((each) => each.input)).toEqual([1, 2, 3])
  job(2).finish()
  job(1).finish()
  expect(await first).toEqual({ done: false, value: [10, 20] })
  // The caller still uses the first results.
  await settle()
  expect(jobs.map((each) => each.input)).toEqual([1, 2, 3, 4, 5])
  for (const input of [5, 4, 3]) job(input).finish()
  await settle()
  // The buffer is full: no work starts until the caller takes results.
  expect(jobs.map((each) => each.input)).toEqual([1, 2, 3, 4, 5])
  expect(await results.next()).toEqual({ done: false, value: [30, 40, 50] })
  await settle()
  expect(jobs.map((each) => each.input)).toEqual([1, 2, 3, 4, 5, 6])
  job(6).finish()
  expect(await results.next()).toEqual({ done: false, value: [60] })
  expect(await results.next()).toEqual({ done: true, value: undefined })
})

test('each result comes exactly once and in order, whatever the timing of inputs and work', async () => {
  const turns = nat({ max: 4 })
  const wait = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) await Promise.resolve()
  }
  await assert(
    asyncProperty(
      array(record({ arrives: turns, takes: turns })),
      integer({ min: 1, max: 4 }),
      turns,
      async (plan, inFlight, uses) => {
        let running = 0
        async function* inputs() {
          for (const [i, { arrives }] of plan.entries()) {
            await wait(arrives)
            yield i
          }
        }
        const work = async (i: number): Promise<number> => {
          running += 1
          expect(running).toBeLessThanOrEqual(inFlight)
          await wait(plan[i]?.takes ?? 0)
          running -= 1
          return i
        }
        const seen: number[] = []
        for await (const results of pipelined(inputs(), inFlight, work)) {
          await wait(uses)
          seen.push(...results)
        }
        expect(seen).toEqual(plan.map((_, i) => i))
      },
    ),
    { numRuns: 500 },
  )
})

test('an error is thrown at its position, after all running work has ended', async () => {
  const { work, job } = controlled()
  const results = pipelined([1, 2, 3], 3, work)
  const first = results.next()
  await settle()
  job(2).fail(new Error('lost'))
  job(1).finish()
  const seen: unknown[] = []
  const failed = first.catch((error: Error) => seen.push(error.message))
  await settle()
  expect(seen).toEqual([])
  job(3).finish()
  await failed
  expect(seen).toEqual(['lost'])
})
