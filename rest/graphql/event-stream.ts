import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Server-sent events that are open. */
export interface EventStreams {
  /** Writes the answer as its reader takes it, until it ends or the reader goes. */
  send(reply: FastifyReply, response: Response): Promise<void>
  /** Cuts all of them: a client takes the end of its stream for its completion, and a cut for a reason to come back. */
  cutAll(): void
}

export function createEventStreams(): EventStreams {
  const open = new Set<ServerResponse>()
  return {
    send: async (reply, response) => {
      const { raw } = reply.hijack()
      reply.request.admissionSlot?.release()
      const headers = { ...reply.getHeaders(), ...Object.fromEntries(response.headers) }
      for (const [name, value] of Object.entries(headers)) {
        if (value !== undefined) raw.setHeader(name, value)
      }
      raw.setHeader('x-accel-buffering', 'no')
      raw.statusCode = response.status
      open.add(raw)
      // A reader that goes away is no failure.
      await pump(response, raw).catch(() => undefined)
      open.delete(raw)
      raw.end()
    },
    cutAll: () => {
      for (const raw of open) raw.destroy()
    },
  }
}

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true
}

async function pump({ body }: Response, raw: ServerResponse): Promise<void> {
  const reader = body!.getReader()
  const gone = new AbortController()
  raw.once('close', () => {
    gone.abort()
    void reader.cancel().catch(() => undefined)
  })
  for (;;) {
    const { done, value } = await reader.read()
    if (done || gone.signal.aborted) return
    if (!raw.write(value)) await once(raw, 'drain', { signal: gone.signal })
  }
}
