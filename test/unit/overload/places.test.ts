import { expect, test } from 'vitest'
import { createPlaces } from '../../../src/platform/overload/places.ts'

test('a network takes no connection of another one that has only one more', () => {
  const places = createPlaces(
    { perClient: 5, total: 5 },
    { client: 'TOO_MANY_STREAMS', process: 'STREAMS_FULL' },
  )
  const closed: string[] = []
  const enter = (client: string) =>
    places.enter(client, { isIdle: () => false, close: () => closed.push(client) })
  for (const client of ['one', 'one', 'one', 'two', 'two']) enter(client)
  expect(() => places.check('two')).toThrow('The service has too many open live streams')
  expect(() => enter('two')).toThrow('The service has too many open live streams')
  expect(closed).toEqual([])
  places.check('three')
  enter('three')
  expect(closed).toEqual(['one'])
})
