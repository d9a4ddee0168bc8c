import { DomainError } from '../../src/domain/errors.ts'
import type { Peers } from '../../src/platform/process/peers.ts'
import type { PostedMessage, Received, Sessions } from './sessions.ts'

const CALL = 'mcp-message'
const TIMEOUT_MS = 3_000
const RETRY_SECONDS = 1

/** Session ids begin with the number of their process, if there are several. */
export const sessionIdPrefix = (peers: Peers | null): string => (peers === null ? '' : `${peers.own}-`)

/**
 * Returns a function that passes a message to its session: at once in this process, otherwise the
 * result is a promise. It throws MCP_SESSION_NOT_FOUND, INVALID_REQUEST and OVERLOADED.
 */
export function createSessionMessages(
  sessions: Pick<Sessions, 'receive'>,
  peers: Peers | null,
): (posted: PostedMessage) => void | Promise<void> {
  peers?.answer(CALL, (payload) => sessions.receive(payload as PostedMessage))
  const receiveElsewhere = async (process: number, payload: PostedMessage): Promise<Received> => {
    if (peers === null) return 'unknown session'
    const reply = await peers.call(process, CALL, payload, TIMEOUT_MS)
    if (reply.outcome === 'answered') return reply.result as Received
    // The session has ended with its process.
    if (reply.outcome === 'gone') return 'unknown session'
    throw new DomainError('OVERLOADED', { seconds: RETRY_SECONDS }, { retryAfterSeconds: RETRY_SECONDS })
  }
  return (posted) => {
    const process = Number(/^([1-9]\d?)-/.exec(posted.sessionId)?.[1])
    if (peers === null || process === peers.own) return check(sessions.receive(posted))
    if (!(process <= peers.count)) return check('unknown session')
    return receiveElsewhere(process, posted).then(check)
  }
}

function check(received: Received): void {
  if (received === 'unknown session') throw new DomainError('MCP_SESSION_NOT_FOUND')
  if (received === 'invalid message')
    throw new DomainError('INVALID_REQUEST', { problem: 'The body is not a JSON-RPC message' })
}
