import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { takeTurns } from '../../../rest/plugins/overload.ts'

type Hook = (request: object, reply: object, done: () => void) => void

let begun: string[]
let receive: (ip: string, destroyed?: boolean) => void
beforeEach(() => {
  begun = []
  takeTurns({
    decorateRequest: () => undefined,
    addHook: (_: string, hook: Hook) => {
      receive = (ip, destroyed = false) =>
        hook({ ip, raw: { socket: { destroyed } } }, { hijack: () => undefined }, () => begun.push(ip))
    },
  } as unknown as FastifyInstance)
})
const nextTurn = (): Promise<void> => new Promise(setImmediate)
const times = (count: number, step: () => void): void => Array.from({ length: count }).forEach(step)

test('requests of clients that have disconnected do not use up the turns of their network', async () => {
  times(16, () => receive('127.0.0.1'))
  times(1_000, () => receive('127.0.0.1', true))
  times(17, () => receive('127.0.0.1'))
  expect(begun).toHaveLength(16)
  await nextTurn()
  expect(begun).toHaveLength(32)
  await nextTurn()
  expect(begun).toHaveLength(33)
})

test('networks that wait share a turn, and another network need not wait', async () => {
  const networks = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
  for (const ip of networks) times(100, () => receive(ip))
  begun = []
  await nextTurn()
  expect(begun).toHaveLength(16)
  receive('127.0.0.5')
  expect(begun.at(-1)).toBe('127.0.0.5')
  times(20, () => receive('127.0.0.6'))
  begun = []
  await nextTurn()
  for (const ip of [...networks, '127.0.0.6']) expect(begun.filter((each) => each === ip)).toHaveLength(4)
})
