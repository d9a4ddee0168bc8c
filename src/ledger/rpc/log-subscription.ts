import { WebSocket } from 'ws'
import type { Logger } from '../../platform/logger.ts'

/** A node sends every slot, several per second. A socket that is silent this long is dead. */
const QUIET_MS = 15_000
const MIN_RECONNECT_MS = 200
const MAX_RECONNECT_MS = 10_000

export interface LogSubscription {
  readonly connected: boolean
  close(): void
}

export interface LogSubscriptionOptions {
  /**
   * Of several URLs, the next is used after a disconnect. A URL that is removed is disconnected.
   */
  url: string | (() => readonly string[])
  programId: string
  commitment: string
  /** Called for each transaction that mentions the program. */
  onTransaction: (transaction: { signature: string; slot: number }) => void
  onSlot?: (slot: number) => void
  /** Called when both subscriptions are active. Earlier transactions may have been missed. */
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

const LOGS_REQUEST = 1
const SLOTS_REQUEST = 2

/** Subscribes to logs and slots. Reconnects with backoff when the socket closes or falls silent. */
export function subscribeToLogs(options: LogSubscriptionOptions): LogSubscription {
  const { url, programId, commitment, logger, quietMs = QUIET_MS } = options
  const listUrls = typeof url === 'string' ? () => [url] : url
  let connectedTo = ''
  let attempts = 0
  let socket: WebSocket | undefined
  let closed = false
  let confirmed = 0
  // Without slot notifications, pongs show that the socket is alive.
  let slotsRefused = false
  let reconnectMs = MIN_RECONNECT_MS
  let quietTimer: NodeJS.Timeout | undefined
  let reconnectTimer: NodeJS.Timeout | undefined
  const pingTimer = setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return
    if (listUrls().includes(connectedTo)) socket.ping()
    else socket.terminate()
  }, quietMs / 3)

  function connect(): void {
    confirmed = 0
    const urls = listUrls()
    connectedTo = urls[attempts % urls.length] ?? ''
    if (connectedTo === '') return scheduleReconnect()
    const current = new WebSocket(connectedTo, { handshakeTimeout: 10_000 })
    socket = current
    current.on('open', () => {
      send(current, LOGS_REQUEST, 'logsSubscribe', [{ mentions: [programId] }, { commitment }])
      send(current, SLOTS_REQUEST, 'slotSubscribe', [])
      resetQuietTimer(current)
    })
    current.on('pong', () => {
      if (slotsRefused) resetQuietTimer(current)
    })
    current.on('message', (data: Buffer) => {
      resetQuietTimer(current)
      handleMessage(data)
    })
    // 'close' always follows 'error'.
    current.on('error', (error) => logger.debug({ reason: error.message }, 'ledger socket failed'))
    current.on('close', () => handleClose(current))
  }

  function handleMessage(data: Buffer): void {
    const message = parse(data)
    if (message === null) return
    if (message.id !== undefined) return handleConfirmation(message)
    const result = message.params?.result
    if (message.method === 'slotNotification' && result?.slot !== undefined) options.onSlot?.(result.slot)
    const signature = result?.value?.signature
    if (message.method === 'logsNotification' && signature !== undefined)
      options.onTransaction({ signature, slot: result?.context?.slot ?? 0 })
  }

  function handleConfirmation({ id, error }: Message): void {
    if (error !== undefined && id === LOGS_REQUEST) return socket?.terminate()
    if (id === SLOTS_REQUEST) slotsRefused = error !== undefined
    confirmed += 1
    if (confirmed !== 2) return
    reconnectMs = MIN_RECONNECT_MS
    options.onConnected()
  }

  function resetQuietTimer(current: WebSocket): void {
    clearTimeout(quietTimer)
    quietTimer = setTimeout(() => current.terminate(), quietMs)
  }

  function handleClose(current: WebSocket): void {
    if (closed || current !== socket) return
    confirmed = 0
    attempts += 1
    clearTimeout(quietTimer)
    logger.warn({ retryMs: reconnectMs }, 'ledger socket closed, polling until it is reconnected')
    scheduleReconnect()
  }

  function scheduleReconnect(): void {
    reconnectTimer = setTimeout(connect, reconnectMs)
    reconnectMs = Math.min(reconnectMs * 2, MAX_RECONNECT_MS)
  }

  connect()
  return {
    get connected() {
      return confirmed === 2
    },
    close() {
      closed = true
      clearInterval(pingTimer)
      clearTimeout(quietTimer)
      clearTimeout(reconnectTimer)
      socket?.terminate()
    },
  }
}

function send(socket: WebSocket, id: number, method: string, params: unknown[]): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
}

function parse(data: Buffer): Message | null {
  try {
    return JSON.parse(data.toString('utf8')) as Message
  } catch {
    return null
  }
}
