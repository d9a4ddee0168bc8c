import type { RpcContext } from './context.ts'
import type { CallHandler } from './json-rpc.ts'
import { methods } from './methods/index.ts'
import { RpcError } from './rpc-error.ts'

/** Answers the methods of the HTTP interface; anything else is -32601. */
export function dispatcher(context: RpcContext): CallHandler {
  return (name, params) => {
    const method = methods.get(name)
    if (method === undefined) throw new RpcError(-32601, 'Method not found')
    return method(context, params)
  }
}
