import { LRUCache } from 'lru-cache'
import { WebSocket } from 'ws'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { SignatureInfo } from '../decode/rpc-transaction.ts'
import type { IndexerContext } from './context.ts'

/**
 * A listing may lag behind the announcements. After this time a transaction is fetched directly.
 */
const OVERDUE_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
const MAX_SIGNATURES = 10_000

/**
 * Transactions announced over the node's WebSocket. They only save polling: the listing is
 * complete.
 */
export class Announcements {
  /** The newest slot of an announced transaction. */
  newestSlot = 0
  /** When each signature was announced that no listing has contained yet. */
  readonly #unlisted = new LRUCache<string, number>({ max: MAX_SIGNATURES, ttl: FORGET_AFTER_MS })
  readonly #clock: Clock
  readonly #subscription: LogSubscription | null

  constructor({ options, status, wakeUp }: IndexerContext) {
    const { wsUrl: url, programId, commitment, logger, clock } = options
    this.#clock = clock
    const subscribe = {
      programId,
      commitment,
      logger,
      onTransaction: ({ signature, slot }: { signature: string; slot: number }) => {
        if (!this.#unlisted.has(signature)) this.#unlisted.set(signature, clock.now())
        this.newestSlot = Math.max(this.newestSlot, slot)
        wakeUp.wake()
      },
      onSlot: (slot: number) => {
        if (status.phase === 'backfilling') status.tipSlot = Math.max(status.tipSlot, slot)
      },
      onConnected: () => wakeUp.wake(),
    }
    this.#subscription = url === undefined ? null : new LogSubscription({ url, ...subscribe })
  }

  get isConnected(): boolean {
    return this.#subscription?.connected ?? false
  }

  get hasUnlisted(): boolean {
    return this.#unlisted.size > 0
  }

  /** The unlisted signatures to fetch without waiting for the listing, oldest first. */
  overdue(): string[] {
    this.#unlisted.purgeStale()
    const announcedBefore = this.#clock.now() - OVERDUE_AFTER_MS
    // The cache iterates newest first.
    const oldestFirst = [...this.#unlisted.entries()].toReversed()
    return oldestFirst.filter(([, at]) => at < announcedBefore).map(([signature]) => signature)
  }

  remove(read: readonly SignatureInfo[]): void {
    for (const { signature } of read) this.#unlisted.delete(signature)
  }

  close(): void {
    this.#subscription?.close()
  }
}

/** A node sends every slot, several per second. A socket that is silent this long is dead. */
const QUIET_MS = 15_000
const MIN_RECONNECT_MS = 200
const MAX_RECONNECT_MS = 10_000

interface LogSubscriptionOptions {
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
export class LogSubscription {
  readonly #options: LogSubscriptionOptions
  readonly #quietMs: number
  readonly #pingTimer: NodeJS.Timeout
  #socket: WebSocket | undefined
  #connectedTo = ''
  #attempts = 0
  /** Of the two requests. */
  #confirmed = 0
  /** The node refuses slot notifications: then pongs show that the socket is alive. */
  #slotsRefused = false
  #closed = false
  #reconnectMs = MIN_RECONNECT_MS
  #quietTimer: NodeJS.Timeout | undefined
  #reconnectTimer: NodeJS.Timeout | undefined

  constructor(options: LogSubscriptionOptions) {
    this.#options = options
    this.#quietMs = options.quietMs ?? QUIET_MS
    this.#pingTimer = setInterval(() => this.#ping(), this.#quietMs / 3)
    this.#connect()
  }

  get connected(): boolean {
    return this.#confirmed === 2
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#pingTimer)
    clearTimeout(this.#quietTimer)
    clearTimeout(this.#reconnectTimer)
    this.#socket?.terminate()
  }

  #urls(): readonly string[] {
    const { url } = this.#options
    return typeof url === 'string' ? [url] : url()
  }

  #ping(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    if (this.#urls().includes(this.#connectedTo)) this.#socket.ping()
    else this.#socket.terminate()
  }

  #connect(): void {
    const { programId, commitment, logger } = this.#options
    this.#confirmed = 0
    const urls = this.#urls()
    this.#connectedTo = urls[this.#attempts % urls.length] ?? ''
    if (this.#connectedTo === '') return this.#scheduleReconnect()
    const socket = new WebSocket(this.#connectedTo, { handshakeTimeout: 10_000 })
    this.#socket = socket
    socket.on('open', () => {
      send(socket, LOGS_REQUEST, 'logsSubscribe', [{ mentions: [programId] }, { commitment }])
      send(socket, SLOTS_REQUEST, 'slotSubscribe', [])
      this.#resetQuietTimer(socket)
    })
    socket.on('pong', () => {
      if (this.#slotsRefused) this.#resetQuietTimer(socket)
    })
    socket.on('message', (data: Buffer) => {
      this.#resetQuietTimer(socket)
      this.#handleMessage(data)
    })
    // 'close' always follows 'error'.
    socket.on('error', (error) => logger.debug({ reason: error.message }, 'ledger socket failed'))
    socket.on('close', () => this.#handleClose(socket))
  }

  #handleMessage(data: Buffer): void {
    const message = parse(data)
    if (message === null) return
    if (message.id !== undefined) return this.#handleConfirmation(message)
    const result = message.params?.result
    if (message.method === 'slotNotification' && result?.slot !== undefined)
      this.#options.onSlot?.(result.slot)
    const signature = result?.value?.signature
    if (message.method === 'logsNotification' && signature !== undefined)
      this.#options.onTransaction({ signature, slot: result?.context?.slot ?? 0 })
  }

  #handleConfirmation({ id, error }: Message): void {
    if (error !== undefined && id === LOGS_REQUEST) return this.#socket?.terminate()
    if (id === SLOTS_REQUEST) this.#slotsRefused = error !== undefined
    this.#confirmed += 1
    if (!this.connected) return
    this.#reconnectMs = MIN_RECONNECT_MS
    this.#options.onConnected()
  }

  #resetQuietTimer(socket: WebSocket): void {
    clearTimeout(this.#quietTimer)
    this.#quietTimer = setTimeout(() => socket.terminate(), this.#quietMs)
  }

  #handleClose(socket: WebSocket): void {
    if (this.#closed || socket !== this.#socket) return
    this.#confirmed = 0
    this.#attempts += 1
    clearTimeout(this.#quietTimer)
    this.#options.logger.warn(
      { retryMs: this.#reconnectMs },
      'ledger socket closed, polling until it is reconnected',
    )
    this.#scheduleReconnect()
  }

  #scheduleReconnect(): void {
    this.#reconnectTimer = setTimeout(() => this.#connect(), this.#reconnectMs)
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, MAX_RECONNECT_MS)
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
