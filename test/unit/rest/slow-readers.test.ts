import { expect, test } from 'vitest'
import { excess } from '../../../rest/plugins/open-connections.ts'

/** `waiting`: client and unsent bytes of each connection, the one that waits longest first. */
const closedOf = (waiting: string, unsentPerClient: number, unsentTotal: number): string[] => {
  const connections = waiting.split(' ').map((socket, since) => {
    const [client = '', bytes] = socket.split(':')
    return { socket, client, since, bytes: Number(bytes) }
  })
  return [...excess(connections.toReversed(), { unsentPerClient, unsentTotal })]
}

test.each([
  ['nothing within the limits', 'a:4 a:6', 10, 10, []],
  ['the oldest of a network above its limit', 'b:10 a:4 a:5 a:3', 10, 99, ['a:4']],
  ['as many as needed', 'a:1 a:2 a:11', 10, 99, ['a:1', 'a:2', 'a:11']],
  ['the oldest of the network with the most, above the total', 'b:8 a:4 a:5', 99, 15, ['a:4']],
  ['in turns, if networks are equal', 'a:3 a:5 b:2 b:6', 99, 11, ['a:3', 'b:2']],
])('closes %s', (_, waiting, perClient, total, closed) => {
  expect(closedOf(waiting, perClient, total)).toEqual(closed)
})
