import type { ErrorEntry } from './entry.ts'

/** Limits of clients, streams and sessions, and what the service needs and has not. */
export const AVAILABILITY_ERRORS = {
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests: at most {limit} a minute. Try again in {seconds} s',
  },
  MCP_SESSION_NOT_FOUND: { status: 404, message: 'No such MCP session: open one at /mcp/sse' },
  MCP_SESSIONS_FULL: {
    status: 429,
    message: 'Too many MCP streams are open; a client may have {max}. /mcp needs none',
  },
  EVENT_UNKNOWN: { status: 400, message: '{parameter} must be the id of an event, got {value}' },
  TOO_MANY_STREAMS: {
    status: 429,
    message: 'Too many live streams are open: a client may have {max}. Close one, or try again later',
  },
  TOO_MANY_SOCKETS: { status: 503, message: 'Too many WebSockets are open: try again later' },
  VERIFIER_BUSY: {
    status: 503,
    message: 'Too many credentials are being verified now: try again in a moment',
  },
  OVERLOADED: { status: 503, message: 'There is too much to do now. Try again in {seconds} s' },
  NOT_READY: { status: 503, message: 'Not ready: {missing}' },
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database does not answer now' },
  LEDGER_UNAVAILABLE: { status: 503, message: 'The ledger RPC node cannot be reached' },
} as const satisfies Record<string, ErrorEntry>
