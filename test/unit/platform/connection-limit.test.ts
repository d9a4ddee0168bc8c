import { expect, test } from 'vitest'
import { createConnectionLimit } from '../../../src/platform/overload/connection-limit.ts'

test('a network takes no connection of another one that has only one more', () => {
  const limit = createConnectionLimit({
    max: { perClient: 5, total: 5 },
    errors: { client: 'TOO_MANY_STREAMS', process: 'STREAMS_FULL' },
  })
  const closed: string[] = []
  const enter = (client: string) => limit.enter(client, { close: () => closed.push(client) })
  for (const client of ['one', 'one', 'one', 'two', 'two']) enter(client)
  expect(() => limit.check('two')).toThrow('The service has too many open live streams')
  expect(() => enter('two')).toThrow('The service has too many open live streams')
  expect(closed).toEqual([])
  limit.check('three')
  enter('three')
  expect(closed).toEqual(['one'])
})
