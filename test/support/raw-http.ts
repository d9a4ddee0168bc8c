import { connect } from 'node:net'

export interface RawResponse {
  /** 0 if the server closed the connection without a response. */
  status: number
  headers: string
  body: string
}

/** Sends bytes to a port and reads until the server closes. Rejects after `deadlineMs`. */
export function sendRaw(port: number, bytes: Buffer, deadlineMs = 10_000): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const chunks: Buffer[] = []
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  const deadline = setTimeout(() => {
    socket.destroy()
    reject(
      new Error(
        `the response did not end within ${deadlineMs} ms after ${JSON.stringify(bytes.toString('latin1'))}`,
      ),
    )
  }, deadlineMs)
  socket.on('data', (chunk) => chunks.push(chunk))
  // A server that refuses early resets the connection. Its response still counts.
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

/** A request whose target can be any bytes. */
export function request(target: string | Buffer, method = 'GET', rest = '\r\n'): Buffer {
  return Buffer.concat([
    Buffer.from(`${method} `),
    Buffer.from(target as string),
    Buffer.from(` HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${rest}`),
  ])
}
