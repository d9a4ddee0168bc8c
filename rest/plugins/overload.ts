import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientNetwork } from '../../src/domain/client-network.ts'
import { type Admission, type Priority, QUEUE_DELAY_MS } from '../../src/platform/overload/admission.ts'
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
    /** How long the request waited for a turn. 0 if the queue of its network was just empty. */
    turnWaitMs: number
    /** The request was refused because of overload. */
    isShed: boolean
    /** Ends the time in which the request is one in flight. Null before it began. */
    leaveFlight: (() => void) | null
  }
}

/** Requests that begin in one turn. Networks that wait share them: each begins at least one. */
const REQUESTS_PER_TURN = 16
/** What a refusal takes of a turn. If it took a whole request, a long queue would never end. */
const REFUSAL = 1 / 4

/**
 * Lets client networks take turns, before a request is charged or admitted. A network with hundreds
 * of connections delays its own requests, and others by those of one turn. `shedLoad` refuses
 * requests that waited too long.
 */
export function takeTurns(app: FastifyInstance): void {
  app.decorateRequest('turnWaitMs', 0)
  /** What each network has begun in this turn. */
  const begun = new Map<string, number>()
  const waiting = new Map<string, { readonly since: number; readonly queue: (() => number)[] }>()
  let isTurnSet = false
  const setTurn = (): void => {
    if (!isTurnSet) setImmediate(nextTurn)
    isTurnSet = true
  }
  const share = (): number => Math.ceil(REQUESTS_PER_TURN / Math.max(1, waiting.size))
  const nextTurn = (): void => {
    isTurnSet = false
    begun.clear()
    const max = share()
    for (const [client, { queue }] of waiting) {
      let [taken, count] = [0, 0]
      for (; count < max && taken < queue.length; taken += 1) count += queue[taken]!()
      queue.splice(0, taken)
      if (queue.length === 0) waiting.delete(client)
      begun.set(client, count)
    }
    if (waiting.size > 0) setTurn()
  }
  app.addHook('onRequest', (request, reply, done) => {
    /** Returns what the request took of a turn: nothing if the client has disconnected before. */
    const begin = (): number => {
      if (request.raw.socket.destroyed) {
        reply.hijack()
        return 0
      }
      // The hooks that refuse a request run before this returns.
      done()
      return request.isShed ? REFUSAL : 1
    }
    const client = clientNetwork(request.ip)
    const count = begun.get(client) ?? 0
    setTurn()
    if (count < share()) {
      begun.set(client, count + 1)
      begin()
      return
    }
    const arrived = performance.now()
    const { since, queue } = waiting.get(client) ?? { since: arrived, queue: [] }
    waiting.set(client, { since, queue })
    queue.push(() => {
      // A queue that was empty a moment ago is a burst.
      const now = performance.now()
      if (now - since > QUEUE_DELAY_MS) request.turnWaitMs = now - arrived
      return begin()
    })
  })
}

/**
 * Refuses requests that the process could not answer in time, before it checks a wallet, reads a
 * body or uses the database. A request is in flight from the arrival of its body, so that clients
 * that send slowly do not use up the limit, until its handler has finished, also if its client has
 * disconnected before.
 */
export function shedLoad(app: FastifyInstance, admission: Admission): void {
  app.decorateRequest('isShed', false)
  app.decorateRequest('leaveFlight', null)
  /** Leaves the request marked as refused if this throws. `check` returns nothing. */
  const decide = (request: FastifyRequest, step: 'admit' | 'check', priority: Priority): void => {
    request.isShed = true
    request.leaveFlight = admission[step](priority, request.ip, request.turnWaitMs) ?? null
    request.isShed = false
  }

  app.addHook('onRequest', (request, _reply, done) => {
    const priority = priorityOf(request)
    if (typeof priority === 'function') decide(request, 'check', 'high')
    else if (priority !== null) decide(request, hasBody(request) ? 'check' : 'admit', priority)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const priority = priorityOf(request)
    if (priority !== null && request.leaveFlight === null)
      decide(request, 'admit', typeof priority === 'function' ? priority(request) : priority)
    done()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.leaveFlight?.()
    done()
  })
}

/** Null if overload does not matter to the route. */
function priorityOf({ routeOptions }: FastifyRequest) {
  const { priority = 'low' } = routeOptions.config
  return priority === 'exempt' || priority === 'unshed' || priority === 'file' ? null : priority
}
