import { Agent, get } from 'node:http'
import { expect, test } from 'vitest'
import { createTestApp } from '../../support/app.ts'
import { blockReads } from '../../support/blocked-reads.ts'

test('a service that stops answers what it has in hand, and waits for no connection after that', async () => {
  const gateway = await createTestApp()
  const url = await gateway.app.listen({ port: 0, host: '127.0.0.1' })
  const blocked = await blockReads(gateway.database)
  const agent = new Agent({ keepAlive: true })
  const answer = Promise.withResolvers<[status: number | undefined, connection: string | undefined]>()
  get(`${url}/agents`, { agent }, (response) => {
    response.resume()
    answer.resolve([response.statusCode, response.headers.connection])
  })
  await expect.poll(() => blocked.held(), { timeout: 10_000, interval: 20 }).toBe(1)
  const closed = gateway.app.close()
  await blocked.release()
  expect(await answer.promise).toEqual([200, 'close'])
  // Else it would end with the time of idle connections, which is longer than a test has.
  await closed
  agent.destroy()
  await gateway.close()
})
