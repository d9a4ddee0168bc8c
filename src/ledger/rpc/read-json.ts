import { constants } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'

/** The response has more bytes than the caller accepts, compressed or not. */
export class ResponseTooLargeError extends Error {}

const decompress = promisify(gunzip)

/** Reads and decompresses a JSON body. Throws ResponseTooLargeError, SyntaxError. */
export async function readJson(
  { headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new ResponseTooLargeError()
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (headers['content-encoding'] !== 'gzip') return JSON.parse(bytes.toString())
  const maxOutputLength = Math.min(maxBytes, constants.MAX_LENGTH)
  const text = await decompress(bytes, { maxOutputLength }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? new ResponseTooLargeError() : error
  })
  return JSON.parse(text.toString())
}
