import type { FastifyRequest } from 'fastify'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { ShedOrder } from '../../src/platform/overload/shed.ts'
import { Place } from './place.ts'
import { cutLate } from './server-options.ts'
import type { RestApp } from '../rest-app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** When requests of the route are refused where there is too much to do; `first` by default. A function where that depends on the body. */
    shed?: ShedOrder | 'never' | ((request: FastifyRequest) => ShedOrder)
  }
  interface FastifyRequest {
    /** What the request holds of what may be in hand; null where it is never refused. */
    place: Place | null
    /** It was refused because there is too much to do. */
    isShed: boolean
  }
}

/**
 * Refuses what the process could not answer in time, before a wallet, a body or the database is looked at. While a body is under way it holds no place among
 * those that are worked on, so that who sends a part of one keeps out nobody.
 */
export function shedLoad(app: RestApp, admission: Admission): void {
  app.decorateRequest('place', null)
  app.decorateRequest('isShed', false)
  const take = (request: FastifyRequest, order: ShedOrder): (() => void) => {
    request.isShed = true
    const leave = admission.take(order)
    request.isShed = false
    return leave
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { shed = 'first' } = request.routeOptions.config
    if (shed === 'never') {
      done()
      return
    }
    const leave = take(request, typeof shed === 'function' ? 'last' : shed)
    // Its order is not known yet; nobody works for it before it is.
    if (typeof shed === 'function') leave()
    const place = new Place(leave)
    request.place = place
    reply.raw.once('finish', () => place.gone())
    reply.raw.once('close', () => place.gone())
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasBody(request))
      request.place?.waitForBody(() => admission.arrive(() => cutLate(request.raw.socket)))
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { shed = 'first' } = request.routeOptions.config
    if (shed !== 'never' && (hasBody(request) || typeof shed === 'function'))
      request.place?.work(() => take(request, typeof shed === 'function' ? shed(request) : shed))
    done()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.place?.settled()
    done()
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
