import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpError } from './error-codes.ts'

export interface CapturedBody {
  readonly body: Buffer
  /** The receiver sent more, or did not end it. */
  readonly truncated: boolean
}

/** The first bytes of an answer whose status is what counts: whatever happens to the rest is no failure, and it is not waited for. */
export async function captureBody(body: Readable, maxBytes: number, withinMs: number): Promise<CapturedBody> {
  const timer = setTimeout(() => body.destroy(), withinMs)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) break
    }
    return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes }
  } catch {
    return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true }
  } finally {
    clearTimeout(timer)
  }
}

/** The whole body. Throws ExchangeError `too_large` as soon as it is known to be larger. */
export async function readBody(body: Readable, maxBytes: number, contentLength: unknown): Promise<Buffer> {
  if (Number(contentLength) > maxBytes) {
    body.destroy()
    throw new HttpError('too_large')
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) throw new HttpError('too_large')
  }
  return Buffer.concat(chunks)
}

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/**
 * Some hosts compress although none was asked for. One known encoding is undone, never to more than `maxBytes`: a bomb is `too_large`.
 * Anything else is `bad_encoding`.
 */
export async function decodeBody(bytes: Buffer, encoding: unknown, maxBytes: number): Promise<Buffer> {
  const name = typeof encoding === 'string' ? encoding.trim().toLowerCase() : encoding
  if (name === undefined || name === '' || name === 'identity') return bytes
  const decode = typeof name === 'string' && Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (decode === undefined) throw new HttpError('bad_encoding')
  return decode(bytes, { maxOutputLength: maxBytes }).catch((cause: NodeJS.ErrnoException) => {
    throw new HttpError(cause.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_encoding', { cause })
  })
}
