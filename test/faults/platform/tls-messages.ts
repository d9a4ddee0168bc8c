import { createCipheriv, createHmac } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** A TLS 1.3 NewSessionTicket (RFC 8446, section 4.6.1) with a ticket of one byte. */
export const TICKET = Buffer.from([4, 0, 0, 14, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 120, 0, 0])
const HANDSHAKE = 22

/**
 * Returns a function that sends tickets as fast as the client reads, in records of 16 KB. The
 * server must use TLS_AES_128_GCM_SHA256, and must not have sent data. No library sends so many.
 */
export function createTicketFlood(tls: TLSSocket, socket: Socket): () => void {
  const secret = secretOf(tls)
  return () => {
    const tickets = Buffer.concat([...Array<Buffer>(900).fill(TICKET), Buffer.from([HANDSHAKE])])
    const keys = keysOf(secret())
    let sequence = 0
    const more = (): void => {
      while (!socket.destroyed && socket.write(seal(tickets, keys, sequence++)));
    }
    socket.on('drain', more)
    more()
  }
}

/** A KeyUpdate (RFC 8446, section 4.6.3), sent `count` times. Each has its own keys. */
export function createKeyUpdates(tls: TLSSocket, socket: Socket, count: number): () => void {
  const firstSecret = secretOf(tls)
  return () => {
    let secret = firstSecret()
    const updates = Array.from({ length: count }, () => {
      const update = seal(Buffer.from([24, 0, 0, 1, 0, HANDSHAKE]), keysOf(secret), 0)
      secret = expand(secret, 'traffic upd', 32)
      return update
    })
    socket.write(Buffer.concat(updates))
  }
}

/** The secret from which the keys of the server are made. */
function secretOf(tls: TLSSocket): () => Buffer {
  let secret = Buffer.alloc(0)
  tls.on('keylog', (line: Buffer) => {
    const found = /^SERVER_TRAFFIC_SECRET_0 \w+ (\w+)/.exec(line.toString())?.[1]
    if (found !== undefined) secret = Buffer.from(found, 'hex')
  })
  return () => secret
}

interface Keys {
  readonly key: Buffer
  readonly iv: Buffer
}

function keysOf(secret: Buffer): Keys {
  return { key: expand(secret, 'key', 16), iv: expand(secret, 'iv', 12) }
}

/** HKDF-Expand-Label without context (RFC 8446, section 7.1), for at most 32 bytes. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const info = Buffer.from(`\0${String.fromCharCode(length, label.length + 6)}tls13 ${label}\0\x01`, 'latin1')
  return createHmac('sha256', secret).update(info).digest().subarray(0, length)
}

/** One encrypted record (RFC 8446, section 5.2). */
function seal(content: Buffer, { key, iv }: Keys, sequence: number): Buffer {
  const nonce = Buffer.from(iv)
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8)
  const header = Buffer.from([23, 3, 3, (content.length + 16) >> 8, (content.length + 16) & 255])
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header)
  return Buffer.concat([header, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}
