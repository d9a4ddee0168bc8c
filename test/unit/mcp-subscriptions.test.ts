import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { subscribe } from '../../rest/mcp/subscriptions.ts'
import type { Services } from '../../src/services.ts'

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
  const { bus } = await subscribe(services, {
    agentPdas: ['agent'],
    clientIp: '192.0.2.1',
    response: response as unknown as ServerResponse,
  })
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
  response.emit('close')
  await destroyed.promise
  expect(read).toBe(2)
})
