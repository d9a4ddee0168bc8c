import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
})
afterAll(() => t.close())

describe('a request body', () => {
  const post = (payload: string, type: string) =>
    t.app.inject({ url: '/graphql', method: 'POST', headers: { 'content-type': type }, payload })

  test.each(['{"__proto__":{}}', '{"constructor":{"prototype":{}}}'])(
    'with the dangerous key in %s is 400',
    async (payload) => {
      expect((await post(payload, 'application/json')).json()).toMatchObject({
        error: 'The body must be valid JSON: it cannot be parsed, or has a key like __proto__',
      })
    },
  )

  test('with invalid JSON is 400', async () => {
    const response = await post('{"query":', 'application/json')
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([
      400,
      'The body must be valid JSON: it cannot be parsed, or has a key like __proto__',
    ])
  })

  test('that is empty is 400', async () => {
    expect((await post('', 'application/json')).statusCode).toBe(400)
  })
})

describe('the request id', () => {
  test('is returned; a valid id of the client is kept, any other is replaced', async () => {
    const id = async (given?: string): Promise<unknown> =>
      (await t.app.inject({ url: '/health', headers: given === undefined ? {} : { 'x-request-id': given } }))
        .headers['x-request-id']
    expect(await id('trace-1')).toBe('trace-1')
    expect(await id()).toMatch(/^[0-9a-f-]{36}$/)
    expect(await id('two words')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
