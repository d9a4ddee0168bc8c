import type { IncomingMessage } from 'node:http'
import type { CallHandler } from '../rpc/json-rpc.ts'
import { invalidRequest } from '../rpc/rpc-error.ts'

/**
 * The methods localnet_* change the ledger and its clock, so they need this header. A web page
 * cannot send it: the preflight refuses it, and a browser sends no such header on a WebSocket.
 */
export const CONTROL_HEADER = 'x-localnet-control'

/** Whether the request may call localnet_*. Browsers add `origin` to the requests of web pages. */
export function hasControl({ headers }: IncomingMessage): boolean {
  return headers[CONTROL_HEADER] === '1' && headers.origin === undefined
}

export function withoutControl(call: CallHandler): CallHandler {
  return (method, params) => {
    if (method.startsWith('localnet_'))
      throw invalidRequest(
        `Invalid request: localnet methods need the header ${CONTROL_HEADER}: 1, and are not for web pages`,
      )
    return call(method, params)
  }
}
