import type { WebSocket } from 'ws'
import { BYTES_PER_UNIT } from '../plugins/rate-limits.ts'

/** Units of a message or control frame. It takes about 0.02 ms. */
export const MESSAGE_UNITS = 0.05

/**
 * Charges what a client sends on a socket, before it is parsed. While its network has no units
 * left, the socket is not read, so its messages wait in the client.
 */
export function chargeMessages(
  socket: WebSocket,
  spend: (units: number) => number,
): (data: { readonly byteLength: number }) => void {
  let timer: NodeJS.Timeout | undefined
  const update = (units: number): void => {
    const waitMs = spend(units)
    if (waitMs > 0) socket.pause()
    else if (socket.isPaused) socket.resume()
    clearTimeout(timer)
    timer = waitMs > 0 ? setTimeout(update, waitMs, 0) : undefined
  }
  socket.once('close', () => clearTimeout(timer))
  return ({ byteLength }) => update(MESSAGE_UNITS + byteLength / BYTES_PER_UNIT)
}
