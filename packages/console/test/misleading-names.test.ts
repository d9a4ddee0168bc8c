import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const NAMES = {
  // Turned around, of no width, a line of its own, and a letter that nobody sees.
  'A\u202Eb\u200B\u2028\u{E0041}': 'A\\u202eb\\u200b\\u2028\\udb40\\udc41',
  ' \u3164': '\\u0020\\u3164',
  'a " "': 'a " "',
}
let name = ''

beforeAll(() => {
  const answer = async () => Response.json({ data: { agent: { __typename: 'Agent', pda: 'p', name } } })
  vi.stubGlobal('document', { baseURI: 'https://gateway.example/console/' })
  vi.stubGlobal('fetch', answer)
})
afterAll(() => void vi.unstubAllGlobals())

test.each(Object.entries(NAMES))(
  'pages get %j with its invisible characters as text',
  async (given, shown) => {
    const { createApiClient } = await import('../src/api/client.ts')
    name = given
    const { data } = await createApiClient(null)
      .query('{ agent(pda: "p") { __typename pda name } }', {})
      .toPromise()
    expect(data).toMatchObject({ agent: { pda: 'p', name: shown } })
  },
)
