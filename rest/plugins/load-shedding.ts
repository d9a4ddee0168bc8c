import type { FastifyRequest } from 'fastify'
import type { Admission } from '../../src/platform/overload/admission.ts'
import type { Priority } from '../../src/platform/overload/admission.ts'
import type { RestApp } from '../rest-app.ts'
import { hasBody } from './server-options.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `low` by default. `exempt` is never refused. `unshed` and `file` are refused only by rate
     * limits: without one of its scripts, a page stays blank. A function reads the priority from
     * the body.
     */
    priority?: Priority | 'exempt' | 'unshed' | 'file' | ((request: FastifyRequest) => Priority)
  }
  interface FastifyRequest {
    /** Null if overload does not matter to the route. */
    admissionSlot: AdmissionSlot | null
    /** The request was refused because of overload. */
    isShed: boolean
  }
}

/** Null if overload does not matter to the route. */
function priorityOf({ routeOptions }: FastifyRequest) {
  const { priority = 'low' } = routeOptions.config
  return priority === 'exempt' || priority === 'unshed' || priority === 'file' ? null : priority
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
    decide(request, () => slot.startHandling(() => admission.admit(priority, request.ip, request.turnWaitMs)))

  app.addHook('onRequest', (request, reply, done) => {
    const priority = priorityOf(request)
    if (priority === null) {
      done()
      return
    }
    const slot = new AdmissionSlot()
    // No work starts while a body arrives. It can also decide the priority.
    if (typeof priority === 'function') decide(request, () => admission.check('high', request.ip))
    else if (hasBody(request))
      decide(request, () => admission.check(priority, request.ip, request.turnWaitMs))
    else startHandling(request, slot, priority)
    request.admissionSlot = slot
    reply.raw.once('close', () => slot.responseClosed())
    done()
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

/**
 * The slot of a request among the requests in flight. It is released when the response is written
 * and the handler has finished: a client that disconnects keeps its slot until then. No work starts
 * while the body is still arriving, so a disconnect then releases the slot at once.
 */
class AdmissionSlot {
  #release = (): void => undefined
  #handling = false
  #closed = false

  /** Counts the request as one in flight. Throws what `acquire` throws. */
  startHandling(acquire: () => () => void): void {
    this.#release = acquire()
    this.#handling = true
  }

  /** The handler has returned a response or failed. */
  handlerFinished(): void {
    this.#handling = false
    if (this.#closed) this.release()
  }

  /** The response is written, or the client has disconnected. */
  responseClosed(): void {
    this.#closed = true
    if (!this.#handling) this.release()
  }

  /** Also for a response that becomes a stream: open streams are not in flight. */
  release(): void {
    this.#release()
  }
}
