import { expect, test } from 'vitest'
import { excess } from '../../rest/plugins/slow-readers.ts'

type Entry = readonly [client: string, since: number, bytes: number]

/** The numbers of the connections that are closed, in order. */
const closedOf = (entries: readonly Entry[], unsentPerClient: number, unsentTotal: number): number[] => [
  ...excess(
    entries.map(([client, since, bytes], socket) => ({ socket, client, since, bytes })),
    { unsentPerClient, unsentTotal },
  ),
]

test.each<[string, Entry[], number, number, number[]]>([
  [
    'nothing above the limits',
    [
      ['a', 1, 5],
      ['a', 2, 5],
    ],
    10,
    10,
    [],
  ],
  [
    'the oldest of a network above its limit',
    [
      ['a', 3, 5],
      ['b', 1, 10],
      ['a', 2, 5],
      ['a', 4, 5],
    ],
    10,
    99,
    [2],
  ],
  [
    'as many as needed',
    [
      ['a', 1, 5],
      ['a', 2, 5],
      ['a', 3, 11],
    ],
    10,
    99,
    [0, 1, 2],
  ],
  [
    'the oldest of the network with the most, above the total',
    [
      ['b', 1, 8],
      ['a', 2, 5],
      ['a', 3, 5],
    ],
    99,
    15,
    [1],
  ],
  [
    'in turns, if networks are equal',
    [
      ['a', 1, 5],
      ['a', 2, 5],
      ['b', 3, 5],
      ['b', 4, 5],
    ],
    99,
    10,
    [0, 2],
  ],
  [
    'no connection without unsent bytes',
    [
      ['a', 1, 0],
      ['a', 2, 6],
      ['a', 3, 6],
    ],
    10,
    99,
    [1],
  ],
])('closes %s', (_, entries, perClient, total, closed) => {
  expect(closedOf(entries, perClient, total)).toEqual(closed)
})
