import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { AGENT_CREDENTIALS_V1, PINNED_CONTEXTS } from '../../../src/identity/credentials/contexts/pinned.ts'
import { useTestApp } from '../../support/app.ts'

const t = useTestApp({ listens: true })

/** `inject` neither decompresses nor adds headers. */
const get = (url: string, headers: Record<string, string> = {}) => t.app.inject({ url, headers })

/** The paths of the files of a page, as a browser reads them. */
async function filesOf(page: string): Promise<string[]> {
  const { body } = await get(page, { accept: 'text/html' })
  const links = [...body.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, link = '']) => link)
  return links.map((link) => new URL(link, t.url + page).pathname)
}

const PAGES = [
  ['/docs', 500_000],
  ['/docs/', 500_000],
  ['/graphql', 2_100_000],
] as const
describe.each(PAGES)('the files of %s', (page, maxBytes) => {
  test('are compressed for clients that accept it, and whole for the others', async () => {
    const files = await filesOf(page)
    expect(files.map((path) => /\w+$/.exec(path)?.[0])).toEqual(['css', 'js'])
    let bytes = 0
    for (const url of files) {
      const answers = await Promise.all(
        [
          'gzip, deflate, br, zstd',
          'gzip',
          'GZIP;q=0.5, br;q=0',
          'br;q=0.000, gzip; q=0',
          'identity',
          '*;q=0',
        ].map((encoding) => get(url, { 'accept-encoding': encoding })),
      )
      const [brotli, gzip, ...others] = answers
      const whole = await get(url)
      expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([
        'br',
        'gzip',
        'gzip',
        undefined,
        undefined,
        undefined,
      ])
      expect(whole.headers['content-encoding']).toBeUndefined()
      expect(brotliDecompressSync(brotli!.rawPayload).equals(whole.rawPayload)).toBe(true)
      expect(gunzipSync(gzip!.rawPayload).equals(whole.rawPayload)).toBe(true)
      for (const other of others.slice(1)) expect(other.rawPayload.equals(whole.rawPayload)).toBe(true)
      for (const { statusCode, headers } of [...answers, whole]) {
        expect(statusCode).toBe(200)
        expect(headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' })
        expect(String(headers['vary']).toLowerCase()).toContain('accept-encoding')
      }
      bytes += brotli!.rawPayload.length
    }
    expect(bytes).toBeLessThan(maxBytes)
  })

  test('are not sent again to a client that has them', async () => {
    for (const url of await filesOf(page)) {
      const { headers } = await get(url, { 'accept-encoding': 'br' })
      const again = await get(url, { 'if-none-match': String(headers['etag']) })
      expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0])
    }
  })

  test('are read by a stock client, and their length is known before', async () => {
    for (const url of await filesOf(page)) {
      const [whole, head] = [await fetch(t.url + url), await fetch(t.url + url, { method: 'HEAD' })]
      const text = await whole.text()
      expect([whole.status, head.status]).toEqual([200, 200])
      expect(text).toBe((await get(url)).body)
    }
  })

  test('are not found under other names', async () => {
    const [file = ''] = await filesOf(page)
    for (const name of ['nothing.js', '..%2F..%2Fpackage.json', '__proto__', 'constructor'])
      expect((await get(file.replace(/[^/]+$/, name))).statusCode).toBe(404)
  })
})

test('the OpenAPI document is compressed for clients that accept it', async () => {
  for (const url of ['/openapi.json', '/docs/json']) {
    const [whole, brotli] = [await get(url), await get(url, { 'accept-encoding': 'br' })]
    expect(whole.headers['content-encoding']).toBeUndefined()
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(whole.body)
    expect(brotli.rawPayload.length).toBeLessThan(60_000)
    expect([whole, brotli].map(({ headers }) => headers['content-type'])).toEqual([
      'application/json; charset=utf-8',
      'application/json; charset=utf-8',
    ])
  }
})

test('the JSON-LD context equals the pinned file byte for byte and can be cached', async () => {
  const response = await get(new URL(AGENT_CREDENTIALS_V1).pathname)
  expect(response.statusCode).toBe(200)
  expect(response.headers).toMatchObject({
    'content-type': 'application/ld+json',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  const sha256 = createHash('sha256').update(response.rawPayload).digest('hex')
  expect(sha256).toBe(PINNED_CONTEXTS.find(({ url }) => url === AGENT_CREDENTIALS_V1)?.sha256)
})
