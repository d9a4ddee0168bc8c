import type { Admission } from '../src/overload/admission.ts'
import type { ShedOrder } from '../src/overload/shed.ts'
import type { RestApp } from './door.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** When requests of the route are refused where there is too much to do; `first` by default. */
    shed?: ShedOrder | 'never'
  }
  interface FastifyRequest {
    /** To be called where an answer turns into a stream, which is not in hand for as long as it is open. */
    answered: () => void
  }
}

const nothing = (): void => undefined

/** Refuses what the process could not answer in time, before a wallet, a body or the database is looked at. */
export function shedLoad(app: RestApp, admission: Admission): void {
  app.decorateRequest('answered', nothing)
  app.addHook('onRequest', (request, reply, done) => {
    const { shed = 'first' } = request.routeOptions.config
    if (shed === 'never') {
      done()
      return
    }
    const leave = admission.take(shed)
    request.answered = leave
    reply.raw.once('finish', leave)
    reply.raw.once('close', leave)
    done()
  })
}
