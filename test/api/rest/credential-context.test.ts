import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AGENT_CREDENTIALS_V1, PINNED_CONTEXTS } from '../../../src/identity/credentials/contexts/pinned.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'

let test_: TestApp
beforeAll(async () => {
  test_ = await createTestApp()
})
afterAll(() => test_.close())

test('the JSON-LD context equals the pinned file byte for byte and can be cached', async () => {
  const response = await test_.app.inject({ url: new URL(AGENT_CREDENTIALS_V1).pathname })
  expect(response.statusCode).toBe(200)
  expect(response.headers).toMatchObject({
    'content-type': 'application/ld+json',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  const sha256 = createHash('sha256').update(response.rawPayload).digest('hex')
  expect(sha256).toBe(PINNED_CONTEXTS.find(({ url }) => url === AGENT_CREDENTIALS_V1)?.sha256)
})
