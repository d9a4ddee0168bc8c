import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/** Turned around, of no width, a line of its own, and a letter that nobody sees. */
const NAME = 'A\u202Eb\u200B\u2028\u{E0041}'
const SHOWN = 'A\\u202eb\\u200b\\u2028\\udb40\\udc41'

beforeAll(() => {
  const answer = async () => Response.json({ data: { agent: { __typename: 'Agent', pda: 'p', name: NAME } } })
  vi.stubGlobal('document', { baseURI: 'https://gateway.example/console/' })
  vi.stubGlobal('fetch', answer)
})
afterAll(() => void vi.unstubAllGlobals())

test('pages get names with their invisible characters as text, so that they show them', async () => {
  const { createApiClient } = await import('../src/api/client.ts')
  const client = createApiClient(null)
  const { data } = await client.query('{ agent(pda: "p") { __typename pda name } }', {}).toPromise()
  expect(data).toMatchObject({ agent: { pda: 'p', name: SHOWN } })
})
