import type { Logger } from '../logger.ts'
import { Params } from './params.ts'
import { invalidRequest, RpcError } from './rpc-error.ts'

/** Runs one call. Throws RpcError. */
export type CallHandler = (method: string, params: Params) => unknown

type Id = string | number | null

/** @returns the body of the response, which is empty if the request contains notifications only */
export function respond(body: string, handle: CallHandler, logger: Logger): string {
  let request: unknown
  try {
    request = JSON.parse(body)
  } catch {
    return toJson(failure(null, new RpcError(-32700, 'Parse error')))
  }
  const calls: unknown[] = Array.isArray(request) ? request : [request]
  if (calls.length === 0) return toJson(failure(null, invalidRequest('Invalid request')))
  const responses = calls.map((each) => respondToCall(each, handle, logger)).filter((each) => each !== null)
  if (responses.length === 0) return ''
  return toJson(Array.isArray(request) ? responses : responses[0])
}

// Node has this function, but the types of TypeScript do not.
const json = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Encodes a bigint of any size as a JSON number. */
export function toJson(message: unknown): string {
  return JSON.stringify(message, (_key, value: unknown) =>
    typeof value === 'bigint' ? json.rawJSON(value.toString()) : value,
  )
}

function respondToCall(call: unknown, handle: CallHandler, logger: Logger) {
  if (!isCall(call)) return failure(null, invalidRequest('Invalid request'))
  const { id, method, params } = call
  try {
    const result = handle(method, new Params(params)) ?? null
    return id === undefined ? null : { jsonrpc: '2.0', result, id }
  } catch (error) {
    if (id === undefined) return null
    if (error instanceof RpcError) return failure(id, error)
    logger.error({ err: error, method }, 'localnet call failed')
    return failure(id, new RpcError(-32603, 'Internal error'))
  }
}

function isCall(value: unknown): value is { method: string; params?: unknown; id?: Id } {
  if (typeof value !== 'object' || value === null) return false
  const { jsonrpc, method, id } = value as Record<string, unknown>
  if (jsonrpc !== '2.0' || typeof method !== 'string') return false
  return id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
}

function failure(id: Id, { code, message, data }: RpcError): object {
  // JSON.stringify leaves out `data` if it is undefined.
  return { jsonrpc: '2.0', error: { code, message, data }, id }
}
