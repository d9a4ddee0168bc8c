import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { clientAt } from '../../../support/clients.ts'
import { scaled } from '../../../support/machine-speed.ts'
import { type Check } from './check.ts'
import { client, t } from './world.ts'

/** Opens a connection and returns the first bytes of the response. */
export async function open(bytes: string, from = client): Promise<[socket: Socket, head: string]> {
  const socket = from.open(bytes)
  const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | false]
  return [socket, String(data)]
}
export const statusOf = (response: string): string => {
  const [, code] = /"code":"(\w+)"/.exec(response) ?? []
  const [, status] = /"status":(\d+)/.exec(response) ?? /^HTTP\/1\.1 (\d+)/.exec(response) ?? []
  return code === undefined && status === '200' ? 'ok' : `${status} ${code}`
}
let clients = 0
/** Opens `count` connections of a new client, and returns the outcome of the last. */
export async function lastOpened(count: number, bytes: string): Promise<string> {
  const own = clientAt(`127.0.1.${(clients += 1)}`, t.port)
  const heads: string[] = []
  for (let i = 0; i < count; i += 1) heads.push(statusOf((await open(bytes, own))[1]))
  await own.close()
  expect(new Set(heads.slice(0, -1))).toEqual(new Set(['ok']))
  return heads.at(-1)!
}
export const EVENTS = encodeURIComponent('subscription { registryEvents { id } }')
export const STREAM = `GET /graphql?query=${EVENTS} HTTP/1.1\r\nHost: g\r\nAccept: text/event-stream\r\n\r\n`
export const SESSION = 'GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

/** Runs `work` with fake timers. They only advance when it calls `advance`. */
export async function withTimers<Result>(
  work: (advance: (ms: number) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    return await work(async (ms) => {
      vi.advanceTimersByTime(ms)
      for (let i = 0; i < 20; i += 1) await turn()
    })
  } finally {
    vi.useRealTimers()
  }
}
/** Waits without a timer, because timers may be fake. */
async function untilTrue(isTrue: () => boolean): Promise<void> {
  const begin = performance.now()
  while (!isTrue() && performance.now() - begin < scaled(5_000)) await turn()
  expect(isTrue()).toBe(true)
}
/** `begin` opens something. Without traffic it is open just before the limit, and closed at it. */
export const closesAt =
  (begin: () => Promise<() => boolean>): Check =>
  (n) =>
    withTimers(async (advance) => {
      const isClosed = await begin()
      await advance(n - 1)
      expect(isClosed()).toBe(false)
      await advance(1)
      await untilTrue(isClosed)
    })
