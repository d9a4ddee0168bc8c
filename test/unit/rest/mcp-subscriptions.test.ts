import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { subscribe } from '../../../rest/mcp/routes.ts'
import type { Services } from '../../../src/compose/services.ts'

test('a subscription reads the next event only after its client has read the last one', async () => {
  let read = 0
  async function* events() {
    for (;;) {
      read += 1
      yield { agentPda: `agent ${read}` }
    }
  }
  const services = { liveEvents: { registryEvents: async () => events() } } as unknown as Services
  const destroyed = Promise.withResolvers<void>()
  const response = Object.assign(new EventEmitter(), {
    writableNeedDrain: true,
    destroy: () => destroyed.resolve(),
  })
  const socket = Object.assign(new EventEmitter(), { destroyed: false })
  const reply = { raw: response, request: { ip: '192.0.2.1', raw: { socket } } } as unknown as FastifyReply
  const { bus } = await subscribe(services, ['agent'], reply)
  const received: string[] = []
  bus.subscribe((event) => {
    if (event.kind === 'resource_updated') received.push(event.uri)
  })
  for (let i = 0; i < 10; i += 1) await nextTurn()
  expect(received).toEqual(['agent://agent 1'])
  response.emit('drain')
  for (let i = 0; i < 10; i += 1) await nextTurn()
  expect(received).toEqual(['agent://agent 1', 'agent://agent 2'])
  // A client that disconnects ends the stream.
  socket.emit('close')
  await destroyed.promise
  expect(read).toBe(2)
})
