import type { Logger } from '../logger.ts'
import { Params } from './params.ts'
import { invalidRequest, RpcError } from './rpc-error.ts'

/** Runs one call. Throws RpcError. */
export type CallHandler = (method: string, params: Params) => unknown

// A batch could otherwise ask for more than the memory holds.
const MAX_RESPONSE_LENGTH = 64 * 1024 * 1024

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
  const responses: string[] = []
  let length = 0
  for (const call of calls) {
    const limited: CallHandler = length > MAX_RESPONSE_LENGTH ? refuse : handle
    const response = respondToCall(call, limited, logger)
    if (response === null) continue
    responses.push(response)
    length += response.length
  }
  if (responses.length === 0) return ''
  return Array.isArray(request) ? `[${responses.join()}]` : (responses[0] ?? '')
}

const refuse: CallHandler = () => {
  throw new RpcError(-32603, 'Internal error: the responses of this batch are too large; use smaller batches')
}

// Node has this function, but the types of TypeScript do not.
const json = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Encodes a bigint of any size as a JSON number. */
export function toJson(message: unknown): string {
  try {
    return JSON.stringify(message)
  } catch {
    // The message contains a bigint. A replacer is ten times slower for long lists.
    return JSON.stringify(message, (_key, value: unknown) =>
      typeof value === 'bigint' ? json.rawJSON(value.toString()) : value,
    )
  }
}

/** Returns the response in JSON, or null for a notification. */
function respondToCall(call: unknown, handle: CallHandler, logger: Logger): string | null {
  if (!isCall(call)) return toJson(failure(null, invalidRequest('Invalid request')))
  const { id, method, params } = call
  try {
    const result = handle(method, new Params(params)) ?? null
    return id === undefined ? null : toJson({ jsonrpc: '2.0', result, id })
  } catch (error) {
    if (id === undefined) return null
    if (error instanceof RpcError) return toJson(failure(id, error))
    logger.error({ err: error, method }, 'localnet call failed')
    return toJson(failure(id, new RpcError(-32603, 'Internal error')))
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
