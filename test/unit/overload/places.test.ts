import { expect, test } from 'vitest'
import { createPlaces } from '../../../src/platform/overload/places.ts'

test('a network takes no connection of another one that has only one more', () => {
  const places = createPlaces({ perClient: 5, total: 5 })
  const closed: string[] = []
  const enter = (client: string) =>
    places.enter(client, { isIdle: () => false, close: () => closed.push(client) })
  for (const client of ['one', 'one', 'one', 'two', 'two']) enter(client)
  expect([places.refusal('two'), enter('two'), closed]).toEqual(['process', 'process', []])
  expect([places.refusal('three'), typeof enter('three'), closed]).toEqual([null, 'object', ['one']])
})
