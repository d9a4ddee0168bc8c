import { Agent, get } from 'node:http'
import { expect, test } from 'vitest'
import { createTestApp } from '../../support/app.ts'
import { blockReads } from '../../support/blocked-reads.ts'

test('a stopping service finishes its requests in flight and does not wait for idle connections', async () => {
  const gateway = await createTestApp({ listens: true })
  const blocked = await blockReads(gateway.database)
  const agent = new Agent({ keepAlive: true })
  const response = Promise.withResolvers<[status: number | undefined, connection: string | undefined]>()
  get(`${gateway.url}/agents`, { agent }, (message) => {
    message.resume()
    response.resolve([message.statusCode, message.headers.connection])
  })
  await expect.poll(() => blocked.held()).toBe(1)
  const closed = gateway.app.close()
  await blocked.release()
  expect(await response.promise).toEqual([200, 'close'])
  // Without `connection: close` this would wait for the keep-alive timeout, longer than the test's.
  await closed
  agent.destroy()
  await gateway.close()
})
