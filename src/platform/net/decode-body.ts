import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpError } from './error-codes.ts'

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/**
 * Decodes one known encoding, because some hosts compress even if not asked to. Throws HttpError
 * `too_large` if the result exceeds `maxBytes`, and `bad_encoding` for anything else.
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
