import type { Logger } from '../logger.ts'
import { Params } from './params.ts'
import { invalidRequest, RpcError } from './rpc-error.ts'

/** Answers one call; throws RpcError. */
export type CallHandler = (method: string, params: Params) => unknown

type Id = string | number | null

interface Answer {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** @returns the text of the answer; empty for notifications, which get none */
export function answerText(body: string, handle: CallHandler, logger: Logger): string {
  const answer = answerBody(body, handle, logger)
  return answer === null ? '' : JSON.stringify(answer, exactIntegers)
}

// Known to the engine, not yet to TypeScript's libraries.
const json = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Writes a bigint as a JSON number, whatever its size. */
export function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? json.rawJSON(value.toString()) : value
}

function answerBody(body: string, handle: CallHandler, logger: Logger): Answer | Answer[] | null {
  let request: unknown
  try {
    request = JSON.parse(body)
  } catch {
    return failure(null, new RpcError(-32700, 'Parse error'))
  }
  if (!Array.isArray(request)) return answerOne(request, handle, logger)
  if (request.length === 0) return failure(null, invalidRequest('Invalid request'))
  const answers = request.map((each) => answerOne(each, handle, logger)).filter((each) => each !== null)
  return answers.length === 0 ? null : answers
}

function answerOne(request: unknown, handle: CallHandler, logger: Logger): Answer | null {
  if (!isRequest(request)) return failure(null, invalidRequest('Invalid request'))
  const { id, method, params } = request
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

function isRequest(value: unknown): value is { method: string; params?: unknown; id?: Id } {
  if (typeof value !== 'object' || value === null) return false
  const { jsonrpc, method, id } = value as Record<string, unknown>
  if (jsonrpc !== '2.0' || typeof method !== 'string') return false
  return id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
}

function failure(id: Id, { code, message, data }: RpcError): Answer {
  return { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id }
}
