import type { FastifyReply } from 'fastify'

/** Adds a name to the header Vary, in which CORS has `Origin` already. */
export function addVary(reply: FastifyReply, name: string): void {
  const given = reply.getHeader('vary')
  reply.header('vary', given === undefined ? name : `${String(given)}, ${name}`)
}
