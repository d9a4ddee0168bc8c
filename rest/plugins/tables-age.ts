import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TablesAge } from '../../src/health/health-service.ts'
import type { Services } from '../../src/compose/services.ts'

/** The headers that say how old the tables of a read are, for the OpenAPI document. */
export const TABLES_AGE_HEADERS = {
  'x-registry-slot': {
    type: 'integer',
    description: 'The response contains everything of the ledger up to this slot, at least.',
    examples: [312_004_551],
  },
  'x-registry-age': {
    type: 'integer',
    description:
      'Seconds since the tables last contained everything of the ledger, rounded up. It grows while no ledger node responds.',
    examples: [1],
  },
}

/**
 * A hook for routes that read the tables. Errors have the headers, too: they say whether an agent
 * that is not found can still appear.
 */
export function sendTablesAge({ info }: Services) {
  return (_request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const send = (age: TablesAge | null): void => {
      if (age !== null) reply.header('x-registry-slot', age.slot).header('x-registry-age', age.seconds)
      done()
    }
    // Before the read starts, so that it contains at least this slot.
    const age = info.tablesAge()
    if (age instanceof Promise) age.then(send, done)
    else send(age)
  }
}
