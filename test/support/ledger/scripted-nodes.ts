import type { ServerResponse } from 'node:http'
import type { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { startReceiver } from '../receiver.ts'
import type { ScriptedLedger } from './scripted-ledger.ts'

export interface Reply {
  status?: number
  retryAfter?: string
  silent?: boolean
  result?: unknown
  error?: { code: number | undefined; message: string }
}

export type ReplyTo = (method: string, params: unknown[]) => Reply | Promise<Reply>

/** A ledger node over a real socket. The test sets its replies. */
export interface ScriptedNode {
  url: string
  /** The methods called so far, except getGenesisHash. */
  calls: string[]
  replyTo: ReplyTo
  close(): Promise<void>
}

interface Request {
  id: number
  method: string
  params: unknown[]
}

export async function startScriptedNode(replyTo: ReplyTo = () => ({ result: 'ours' })) {
  const answer = async (body: Request | Request[], response: ServerResponse): Promise<void> => {
    const requests = [body].flat()
    node.calls.push(...requests.map((each) => each.method).filter((each) => each !== 'getGenesisHash'))
    const reply = async ({ id, method, params }: Request) => ({
      id,
      ...(await node.replyTo(method, params)),
    })
    const replies = await Promise.all(requests.map(reply))
    const failure = replies.find((each) => each.status !== undefined || each.silent === true)
    if (failure?.silent === true) return
    const headers = failure?.retryAfter === undefined ? {} : { 'retry-after': failure.retryAfter }
    response.writeHead(failure?.status ?? 200, headers)
    response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
  }
  const receiver = await startReceiver({
    reply: ({ body }, response) => void answer(JSON.parse(String(body)) as Request | Request[], response),
  })
  const node: ScriptedNode = { url: receiver.url(''), calls: [], replyTo, close: receiver.close }
  return node
}

/** Replies of a node that has only the `newest` transactions of the ledger. */
export function repliesFrom(ledger: ScriptedLedger, { newest = Infinity } = {}): ReplyTo {
  const rpc = ledger.rpc()
  return async (method, params) => {
    const held = new Set(ledger.entries.slice(-newest).map((entry) => entry.signature))
    try {
      if (method === 'getTransaction' && !held.has(params[0] as string)) return { result: null }
      const { before } = (params[1] ?? {}) as { before?: string }
      if (before !== undefined && !held.has(before)) return { result: [] }
      const result = await rpc.call<{ signature: string }[]>(method, params)
      if (method !== 'getSignaturesForAddress') return { result }
      return { result: result.filter(({ signature }) => held.has(signature)) }
    } catch (error) {
      const { code, message } = error as LedgerRpcError
      return { error: { code, message } }
    }
  }
}
