import type { ErrorEntry } from './entry.ts'

/** Limits per client, stream and session, and parts that do not answer. */
export const AVAILABILITY_ERRORS = {
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests: the limit is {limit} per minute. Try again in {seconds} s',
  },
  REQUEST_TOO_EXPENSIVE: {
    status: 400,
    message: 'The operation costs {units} units, more than the limit of {max} per minute',
  },
  MCP_SESSION_NOT_FOUND: {
    status: 404,
    message: 'MCP session not found: open one at /mcp/sse, and send messages with the same Authorization',
  },
  MCP_SESSIONS_FULL: {
    status: 429,
    message: 'Too many open MCP streams: the limit per client is {max}. /mcp works without a stream',
  },
  TOO_MANY_SESSIONS: {
    status: 503,
    message: 'The service has too many open MCP streams. /mcp works without a stream',
  },
  EVENT_UNKNOWN: { status: 400, message: '{parameter} must be the id of an event, got {value}' },
  TOO_MANY_STREAMS: {
    status: 429,
    message: 'Too many open live streams: the limit per client is {max}. Close one or try again later',
  },
  STREAMS_FULL: { status: 503, message: 'The service has too many open live streams: try again later' },
  CLIENT_SOCKETS_FULL: {
    status: 429,
    message: 'Too many open WebSockets: the limit per client is {max}. Close one or try again later',
  },
  TOO_MANY_SOCKETS: { status: 503, message: 'The service has too many open WebSockets: try again later' },
  VERIFIER_BUSY: {
    status: 503,
    message: 'Too many credentials are being verified: try again later',
  },
  OVERLOADED: { status: 503, message: 'The service is overloaded. Try again in {seconds} s' },
  REGISTRY_NOT_READY: {
    status: 503,
    message: 'The registry has not been read from the ledger yet. Try again later',
  },
  METRICS_FORBIDDEN: {
    status: 403,
    message: 'Only the machine of the service, or a request with METRICS_TOKEN, can read the metrics',
  },
  NOT_READY: { status: 503, message: 'Not ready: {missing}' },
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database is not available' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
  LEDGER_UNAVAILABLE: { status: 503, message: 'The ledger RPC node is not available' },
} as const satisfies Record<string, ErrorEntry>
