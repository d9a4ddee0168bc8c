import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 where the server closed without a word. */
  status: number
  headers: string
  body: string
}

/** Sends bytes to a port and reads until the server closes; rejects when that takes longer than `deadlineMs`. */
export function sendRaw(port: number, bytes: Buffer, deadlineMs = 10_000): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const chunks: Buffer[] = []
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const deadline = setTimeout(() => {
    socket.destroy()
    reject(
      new Error(`no end of the answer in ${deadlineMs} ms to ${JSON.stringify(bytes.toString('latin1'))}`),
    )
  }, deadlineMs)
  socket.on('data', (chunk) => chunks.push(chunk))
  // A server that refuses early resets the rest of what was sent; what it said still counts.
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(deadline)
    const text = Buffer.concat(chunks).toString()
    const end = text.indexOf('\r\n\r\n')
    const head = end < 0 ? text : text.slice(0, end)
    resolve({
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
      headers: head,
      body: end < 0 ? '' : text.slice(end + 4),
    })
  })
  return promise
}

/** A request whose target is any bytes at all. */
export function request(target: string | Buffer, method = 'GET', rest = '\r\n'): Buffer {
  return Buffer.concat([
    Buffer.from(`${method} `),
    Buffer.from(target as string),
    Buffer.from(` HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${rest}`),
  ])
}
