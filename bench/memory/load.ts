import { Pool } from 'undici'
import type { MemoryRequest } from './requests.ts'

const CLIENTS = 32

/** Sends `count` requests by clients that wait for each response. Throws if one fails. */
export async function sendRequests(url: string, count: number, next: () => MemoryRequest): Promise<void> {
  const pool = new Pool(url, { connections: CLIENTS })
  let left = count
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const { path, body } = next()
      const response = await pool.request(
        body === undefined
          ? { method: 'GET', path }
          : { method: 'POST', path, body, headers: { 'content-type': 'application/json' } },
      )
      const text = await response.body.text()
      if (response.statusCode !== 200 || text.startsWith('{"errors"'))
        throw new Error(`${path} ${body ?? ''} was answered ${response.statusCode} ${text.slice(0, 500)}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await pool.close()
}
