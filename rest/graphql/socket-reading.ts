import type { WebSocket } from 'ws'

/** Bytes that wait to be sent. Above, no more messages of the client are read. */
export const MAX_UNSENT = 1_048_576
/** Messages per second of one socket. Most cost no units, so more are read later. */
export const MAX_MESSAGES = 200
const MESSAGE_MS = 1_000 / MAX_MESSAGES

export interface SocketReading {
  /** Counts a message or control frame of the client. */
  received(): void
  /** Call it when a message is queued, and when it is sent. */
  sendingChanged(): void
}

/** Stops reading from clients that send too fast, or that do not read what is sent to them. */
export function limitReading(socket: WebSocket): SocketReading {
  /** When the messages received so far would have arrived at the highest allowed rate, in ms. */
  let arrival = 0
  let timer: NodeJS.Timeout | undefined

  const update = (): void => {
    const waitMs = arrival - performance.now() - 1_000
    if (waitMs <= 0 && socket.bufferedAmount <= MAX_UNSENT) {
      if (socket.isPaused) socket.resume()
      return
    }
    if (!socket.isPaused) socket.pause()
    if (waitMs <= 0 || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      update()
    }, waitMs)
  }
  socket.once('close', () => clearTimeout(timer))

  return {
    received: () => {
      arrival = Math.max(arrival, performance.now()) + MESSAGE_MS
      update()
    },
    sendingChanged: update,
  }
}
