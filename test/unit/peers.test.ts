import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { createPeers } from '../../src/platform/process/peers.ts'

/** Both ends of an IPC channel. An end that is paused does not take messages. */
class End extends EventEmitter {
  connected = true
  paused = false
  other!: End
  readonly #untaken: (() => void)[] = []
  send(message: object, _handle: undefined, _options: undefined, done: () => void): boolean {
    const take = (): void => {
      done()
      this.other.emit('message', structuredClone(message))
    }
    if (this.other.paused) this.other.#untaken.push(take)
    else queueMicrotask(take)
    return true
  }
  resume(): void {
    this.paused = false
    for (const take of this.#untaken.splice(0)) take()
  }
}

/** Three processes. The main one, number 1, has a channel to each of the others. */
function start() {
  const all = [1, 2, 3].map((number) => createPeers(number, 3))
  const ends = [2, 3].map((number) => {
    const [main, child] = [new End(), new End()]
    main.other = child
    child.other = main
    all[0]!.connect(number, main)
    all[number - 1]!.connect(1, child)
    return { main, child }
  })
  return { all, ends }
}
afterEach(() => vi.useRealTimers())

test('each process can call each other process', async () => {
  const { all } = start()
  for (const each of all) each.answer('who', (payload) => `${each.own} ${String(payload)}`)
  for (const from of all)
    for (const { own: to } of all.filter((each) => each !== from))
      expect(await from.call(to, 'who', 'am I', 1_000)).toEqual({ outcome: 'answered', result: `${to} am I` })
})

test('a process that has ended, or does not know the call yet, is gone', async () => {
  const { all, ends } = start()
  expect(await all[1]!.call(3, 'who', null, 1_000)).toEqual({ outcome: 'gone' })
  ends[1]!.main.connected = false
  expect(await all[0]!.call(3, 'who', null, 1_000)).toEqual({ outcome: 'gone' })
  expect(await all[1]!.call(3, 'who', null, 1_000)).toEqual({ outcome: 'gone' })
  ends[0]!.child.connected = false
  expect(await all[1]!.call(1, 'who', null, 1_000)).toEqual({ outcome: 'gone' })
})

test('a call that fails or takes too long is busy, and a late reply has no effect', async () => {
  vi.useFakeTimers()
  const { all } = start()
  all[2]!.answer('fail', () => Promise.reject(new Error('a defect')))
  expect(await all[0]!.call(3, 'fail', null, 1_000)).toEqual({ outcome: 'busy' })
  const slow = Promise.withResolvers<string>()
  all[2]!.answer('slow', () => slow.promise)
  const call = all[1]!.call(3, 'slow', null, 1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await call).toEqual({ outcome: 'busy' })
  slow.resolve('late')
  await vi.advanceTimersByTimeAsync(1)
  all[2]!.answer('slow', () => 'in time')
  expect(await all[1]!.call(3, 'slow', null, 1_000)).toEqual({ outcome: 'answered', result: 'in time' })
})

test('messages for a process that does not read them are limited, also by the process that passes them on', async () => {
  vi.useFakeTimers()
  const { all, ends } = start()
  const calls: unknown[] = []
  all[2]!.answer('count', (payload) => calls.push(payload))
  ends[1]!.child.paused = true
  const outcomes = Array.from({ length: 1_000 }, (_, i) => all[1]!.call(3, 'count', i, 1_000))
  await vi.advanceTimersByTimeAsync(500)
  const late = all[0]!.call(3, 'count', 'late', 60_000)
  expect(await late).toEqual({ outcome: 'busy' })
  await vi.advanceTimersByTimeAsync(500)
  expect(new Set((await Promise.all(outcomes)).map(({ outcome }) => outcome))).toEqual(new Set(['busy']))
  ends[1]!.child.resume()
  await vi.advanceTimersByTimeAsync(1)
  expect(calls).toHaveLength(200)
  expect(await all[0]!.call(3, 'count', 'again', 1_000)).toMatchObject({ outcome: 'answered' })
})

test('messages that are not calls have no effect', async () => {
  const { all, ends } = start()
  for (const message of [null, 'listening', 5, { 'watch:import': ['x'] }])
    ends[0]!.main.emit('message', message)
  all[1]!.answer('who', () => 2)
  expect(await all[0]!.call(2, 'who', null, 1_000)).toEqual({ outcome: 'answered', result: 2 })
})
