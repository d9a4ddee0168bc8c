import type { FastifyRequest } from 'fastify'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { Priority } from '../../src/platform/overload/priority.ts'
import type { RestApp } from '../rest-app.ts'
import { AdmissionSlot } from './admission-slot.ts'
import { endWithTimeout, hasBody } from './server-options.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `low` by default. `exempt` is never refused, also not by rate limits. `file` needs no database
     * and is refused only by rate limits: a page without one of its scripts stays blank. A function
     * reads the priority from the body.
     */
    priority?: Priority | 'exempt' | 'file' | ((request: FastifyRequest) => Priority)
  }
  interface FastifyRequest {
    /** Null on routes that are exempt, and for files. */
    admissionSlot: AdmissionSlot | null
    /** The request was refused because of overload. */
    isShed: boolean
  }
}

/** Null if overload does not matter to the route. */
function priorityOf({ routeOptions }: FastifyRequest) {
  const { priority = 'low' } = routeOptions.config
  return priority === 'exempt' || priority === 'file' ? null : priority
}

/**
 * Refuses requests that the process could not answer in time, before it checks a wallet, reads a
 * body or uses the database. A request is in flight only after its body has arrived, so clients
 * that send slowly do not use up the limit.
 */
export function shedLoad(app: RestApp, admission: Admission): void {
  app.decorateRequest('admissionSlot', null)
  app.decorateRequest('isShed', false)
  const decide = <Result>(request: FastifyRequest, step: () => Result): Result => {
    request.isShed = true
    const result = step()
    request.isShed = false
    return result
  }
  const startHandling = (request: FastifyRequest, slot: AdmissionSlot, priority: Priority): void =>
    decide(request, () => slot.startHandling(() => admission.admit(priority)))

  app.addHook('onRequest', (request, reply, done) => {
    const priority = priorityOf(request)
    if (priority === null) {
      done()
      return
    }
    const slot = new AdmissionSlot()
    // Until the body is read, a request with a priority from its body could be of high priority.
    if (typeof priority === 'function') decide(request, () => admission.check('high'))
    else startHandling(request, slot, priority)
    request.admissionSlot = slot
    reply.raw.once('close', () => slot.responseClosed())
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasBody(request))
      request.admissionSlot?.receiveBody(() =>
        admission.receiveBody(() => endWithTimeout(request.raw.socket)),
      )
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { admissionSlot: slot } = request
    const priority = priorityOf(request)
    if (slot !== null && priority !== null) {
      if (typeof priority === 'function') startHandling(request, slot, priority(request))
      else if (hasBody(request)) startHandling(request, slot, priority)
    }
    done()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.admissionSlot?.handlerFinished()
    done()
  })
}
