import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import type { ScriptedLedger } from './scripted-ledger.ts'

export interface Reply {
  status?: number
  retryAfter?: string
  /** Never answers. */
  silent?: boolean
  result?: unknown
  error?: { code: number | undefined; message: string }
}

type Answer = (method: string, params: unknown[]) => Reply | Promise<Reply>

/** A node that answers what the test tells it to, over a real socket. */
export interface ToldNode {
  url: string
  /** The methods asked for, but for the one that tells the ledger. */
  calls: string[]
  answer: Answer
  close(): Promise<void>
}

interface Request {
  id: number
  method: string
  params: unknown[]
}

export async function toldNode(answer: Answer = () => ({ result: 'ours' })): Promise<ToldNode> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      void (async () => {
        const body = JSON.parse(text) as Request | Request[]
        const asked = [body].flat()
        node.calls.push(...asked.map((each) => each.method).filter((each) => each !== 'getGenesisHash'))
        const replies = await Promise.all(
          asked.map(async ({ id, method, params }) =>
            Object.assign({ id }, await node.answer(method, params)),
          ),
        )
        const odd = replies.find((each) => each.status !== undefined || each.silent === true)
        if (odd?.silent === true) return
        const headers = odd?.retryAfter === undefined ? {} : { 'retry-after': odd.retryAfter }
        response.writeHead(odd?.status ?? 200, headers)
        response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
      })()
    })
  })
  const node: ToldNode = { url: await listen(server), calls: [], answer, close: () => close(server) }
  return node
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

/** Answers of a node of this ledger that has only the newest transactions, as many as `newest` says. */
export function answersOf(ledger: ScriptedLedger, { newest = Infinity } = {}): Answer {
  const rpc = ledger.rpc()
  return async (method, params) => {
    const shown = new Set(ledger.entries.slice(-newest).map((entry) => entry.signature))
    try {
      if (method === 'getTransaction' && !shown.has(params[0] as string)) return { result: null }
      const { before } = (params[1] ?? {}) as { before?: string }
      if (before !== undefined && !shown.has(before)) return { result: [] }
      const result = await rpc.call<{ signature: string }[]>(method, params)
      if (method !== 'getSignaturesForAddress') return { result }
      return { result: result.filter(({ signature }) => shown.has(signature)) }
    } catch (error) {
      const { code, message } = error as LedgerRpcError
      return { error: { code, message } }
    }
  }
}
