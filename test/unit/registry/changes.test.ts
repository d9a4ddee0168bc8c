import { expect, test } from 'vitest'
import { covers, type Position } from '../../../src/registry/changes.ts'
import * as fc from '../../support/property.ts'

const IDS = 12

/** A snapshot of ids below 12: the first that is not assigned, and those that are running. */
const snapshot = fc
  .record({
    first: fc.integer({ min: 1, max: IDS }),
    isRunning: fc.array(fc.boolean(), { minLength: IDS, maxLength: IDS }),
  })
  .map(({ first, isRunning }) => {
    const running = isRunning.flatMap((each, id) => (each && id < first ? [id] : []))
    return { first, running, text: `${running[0] ?? first}:${first}:${running.join(',')}` }
  })
const server = fc.constantFrom('a', 'b')

test('a position covers another one of its server if it sees every transaction that the other sees', () => {
  fc.assert(
    fc.property(snapshot, snapshot, server, server, (one, other, oneServer, otherServer) => {
      const sees = ({ first, running }: typeof one, id: number) => id < first && !running.includes(id)
      const ids = Array.from({ length: IDS }, (_, id) => id)
      const isSeen = ids.every((id) => !sees(other, id) || sees(one, id))
      const position = (snapshot: string, server: string): Position => ({ server, snapshot })
      expect(covers(position(one.text, oneServer), position(other.text, otherServer))).toBe(
        isSeen && oneServer === otherServer,
      )
    }),
  )
})
