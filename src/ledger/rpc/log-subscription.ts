import { WebSocket } from 'ws'
import type { Logger } from '../../platform/logger.ts'

/** The node sends a slot about every 400 ms: a socket silent for this long is dead, whatever it claims. */
const QUIET_MS = 15_000
const MIN_RECONNECT_MS = 200
const MAX_RECONNECT_MS = 10_000

export interface LogNotification {
  signature: string
  slot: number
}

export interface LogSubscription {
  readonly connected: boolean
  close(): void
}

export interface LogSubscriptionOptions {
  /** Of several, the next one is taken whenever a socket is lost. One that is no longer among them is left. */
  url: string | (() => readonly string[])
  programId: string
  commitment: string
  /** A transaction named the program. */
  onTransaction: (notification: LogNotification) => void
  onSlot?: (slot: number) => void
  /** Called after every (re)connection, once both subscriptions stand: what came before may have been missed. */
  onConnected: () => void
  logger: Pick<Logger, 'warn' | 'debug'>
  quietMs?: number
}

interface Message {
  id?: number
  method?: string
  error?: unknown
  params?: {
    result?: { context?: { slot: number }; value?: { signature: string }; slot?: number }
  }
}

/** Keeps `logsSubscribe` and `slotSubscribe` standing: reconnects with back-off, and when the socket falls silent. */
export function subscribeToLogs(options: LogSubscriptionOptions): LogSubscription {
  const { url } = options
  const urls = typeof url === 'string' ? () => [url] : url
  let connectedTo = ''
  let turn = 0
  let socket: WebSocket | undefined
  let closed = false
  let confirmed = 0
  // Then the answers to pings have to tell a living socket.
  let slotsRefused = false
  let reconnectMs = MIN_RECONNECT_MS
  let quietTimer: NodeJS.Timeout | undefined
  const quietMs = options.quietMs ?? QUIET_MS
  const pings = setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return
    if (urls().includes(connectedTo)) socket.ping()
    else socket.terminate()
  }, quietMs / 3)
  let reconnectTimer: NodeJS.Timeout | undefined

  function open(): void {
    confirmed = 0
    const now = urls()
    connectedTo = now[turn % now.length] ?? ''
    if (connectedTo === '') return reconnect()
    const current = new WebSocket(connectedTo, { handshakeTimeout: 10_000 })
    socket = current
    current.on('open', () => {
      request(current, 1, 'logsSubscribe', [
        { mentions: [options.programId] },
        { commitment: options.commitment },
      ])
      request(current, 2, 'slotSubscribe', [])
      heard(current)
    })
    current.on('pong', () => {
      if (slotsRefused) heard(current)
    })
    current.on('message', (data: Buffer) => {
      heard(current)
      receive(data)
    })
    // 'close' always follows 'error'.
    current.on('error', (error) => options.logger.debug({ reason: error.message }, 'ledger socket failed'))
    current.on('close', () => lost(current))
  }

  function receive(data: Buffer): void {
    const message = parse(data)
    if (message === null) return
    if (message.id !== undefined) {
      if (message.error !== undefined && message.id === 1) return socket?.terminate()
      slotsRefused = message.error !== undefined
      confirmed += 1
      if (confirmed === 2) {
        reconnectMs = MIN_RECONNECT_MS
        options.onConnected()
      }
      return
    }
    const result = message.params?.result
    if (message.method === 'slotNotification' && result?.slot !== undefined) options.onSlot?.(result.slot)
    const signature = result?.value?.signature
    if (message.method === 'logsNotification' && signature !== undefined)
      options.onTransaction({ signature, slot: result?.context?.slot ?? 0 })
  }

  function heard(current: WebSocket): void {
    clearTimeout(quietTimer)
    quietTimer = setTimeout(() => current.terminate(), quietMs)
  }

  function lost(current: WebSocket): void {
    if (closed || current !== socket) return
    confirmed = 0
    turn += 1
    clearTimeout(quietTimer)
    options.logger.warn({ retryMs: reconnectMs }, 'ledger socket lost, polling until it is back')
    reconnect()
  }

  function reconnect(): void {
    reconnectTimer = setTimeout(open, reconnectMs)
    reconnectMs = Math.min(reconnectMs * 2, MAX_RECONNECT_MS)
  }

  open()
  return {
    get connected() {
      return confirmed === 2
    },
    close() {
      closed = true
      clearInterval(pings)
      clearTimeout(quietTimer)
      clearTimeout(reconnectTimer)
      socket?.terminate()
    },
  }
}

function request(socket: WebSocket, id: number, method: string, params: unknown[]): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
}

function parse(data: Buffer): Message | null {
  try {
    return JSON.parse(data.toString('utf8')) as Message
  } catch {
    return null
  }
}
