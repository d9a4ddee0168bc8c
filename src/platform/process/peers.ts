import { createLink, type IpcChannel, type Link } from './peer-link.ts'

/** `gone`: the process has ended or is starting. `busy`: it has too many calls, or failed. */
export type Reply = { outcome: 'answered'; result: unknown } | { outcome: 'gone' | 'busy' }
type Handler = (payload: unknown) => unknown

/** The processes of one service, which call each other over IPC. Their numbers start at 1. */
export interface Peers {
  readonly own: number
  readonly count: number
  /** Answers the calls with this name. */
  answer(name: string, handler: Handler): void
  call(to: number, name: string, payload: unknown, timeoutMs: number): Promise<Reply>
}

export interface ConnectedPeers extends Peers {
  /** Sends and receives messages over this channel. Replaces that of an earlier process. */
  connect(to: number, channel: IpcChannel): void
}

type PeerMessage = { readonly to: number; readonly id: number } & (
  | { readonly kind: 'peer-call'; readonly from: number; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'peer-reply'; readonly reply: Reply }
)

const MAIN = 1

/** Every process has a link to the main process only, which passes the messages on. */
export function createPeers(own: number, count: number): ConnectedPeers {
  const links = new Map<number, Link>()
  const handlers = new Map<string, Handler>()
  const waiting = new Map<number, (reply: Reply) => void>()
  let lastId = 0

  const send = (message: PeerMessage): 'sent' | 'gone' | 'busy' =>
    links.get(own === MAIN ? message.to : MAIN)?.send(message) ?? 'gone'
  const reply = (to: number, id: number, content: Reply): void =>
    void send({ kind: 'peer-reply', to, id, reply: content })
  const respond = async (name: string, payload: unknown): Promise<Reply> => {
    const handler = handlers.get(name)
    if (handler === undefined) return { outcome: 'gone' }
    try {
      return { outcome: 'answered', result: await handler(payload) }
    } catch {
      return { outcome: 'busy' }
    }
  }
  const receive = async (message: PeerMessage): Promise<void> => {
    const { to, id } = message
    if (to !== own) {
      const sent = send(message)
      if (sent !== 'sent' && message.kind === 'peer-call') reply(message.from, id, { outcome: sent })
    } else if (message.kind === 'peer-reply') {
      waiting.get(id)?.(message.reply)
    } else {
      reply(message.from, id, await respond(message.name, message.payload))
    }
  }
  return {
    own,
    count,
    answer: (name, handler) => void handlers.set(name, handler),
    call: async (to, name, payload, timeoutMs) => {
      lastId += 1
      const id = lastId
      const sent = send({ kind: 'peer-call', to, id, from: own, name, payload })
      if (sent !== 'sent') return { outcome: sent }
      const { promise, resolve } = Promise.withResolvers<Reply>()
      waiting.set(id, resolve)
      const timeout = setTimeout(() => resolve({ outcome: 'busy' }), timeoutMs)
      try {
        return await promise
      } finally {
        clearTimeout(timeout)
        waiting.delete(id)
      }
    },
    connect: (to, channel) => {
      links.set(to, createLink(channel))
      channel.on('message', (message) => {
        if (isPeerMessage(message)) void receive(message)
      })
    },
  }
}

// Node sends messages of its own in watch mode.
function isPeerMessage(message: unknown): message is PeerMessage {
  const { kind } = (message ?? {}) as { kind?: unknown }
  return kind === 'peer-call' || kind === 'peer-reply'
}
