import { DomainError } from '../../src/domain/errors.ts'
import type { Peers } from '../../src/platform/process/peers.ts'
import type { Received, Sessions } from './sessions.ts'

const CALL = 'mcp-message'
const TIMEOUT_MS = 3_000
const RETRY_SECONDS = 1

interface PostedMessage {
  readonly sessionId: string
  readonly message: unknown
}

/** Session ids begin with the number of their process, if there are several. */
export const sessionIdPrefix = (peers: Peers | null): string => (peers === null ? '' : `${peers.own}-`)

/**
 * Returns a function that passes a message to its session: at once in this process, otherwise the
 * result is a promise. It throws MCP_SESSION_NOT_FOUND, INVALID_REQUEST and OVERLOADED.
 */
export function createSessionMessages(
  sessions: Pick<Sessions, 'receive'>,
  peers: Peers | null,
): (sessionId: string, message: unknown) => void | Promise<void> {
  peers?.answer(CALL, (payload) => {
    const { sessionId, message } = payload as PostedMessage
    return sessions.receive(sessionId, message)
  })
  const receiveElsewhere = async (process: number, payload: PostedMessage): Promise<Received> => {
    if (peers === null) return 'unknown session'
    const reply = await peers.call(process, CALL, payload, TIMEOUT_MS)
    if (reply.outcome === 'answered') return reply.result as Received
    // The session has ended with its process.
    if (reply.outcome === 'gone') return 'unknown session'
    throw new DomainError('OVERLOADED', { seconds: RETRY_SECONDS }, { retryAfterSeconds: RETRY_SECONDS })
  }
  return (sessionId, message) => {
    const process = Number(/^([1-9]\d?)-/.exec(sessionId)?.[1])
    if (peers === null || process === peers.own) return check(sessions.receive(sessionId, message))
    if (!(process <= peers.count)) return check('unknown session')
    return receiveElsewhere(process, { sessionId, message }).then(check)
  }
}

function check(received: Received): void {
  if (received === 'unknown session') throw new DomainError('MCP_SESSION_NOT_FOUND')
  if (received === 'invalid message')
    throw new DomainError('INVALID_REQUEST', { problem: 'The body is not a JSON-RPC message' })
}
