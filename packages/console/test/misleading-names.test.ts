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

test('a name is changed as it was written, and a host name is shown as a whole', async () => {
  const { visibleText, writtenText } = await import('../src/api/visible.ts')
  for (const text of ['👩\u200D💻 Coder', 'A\u202EB\u{E0041}', 'a\\u0041', '\\u00', 'plain'])
    expect(writtenText(visibleText(text))).toBe(text)
  const { shorten } = await import('../src/ui/address.tsx')
  expect(shorten('did:web:auditevil-e.org')).toBe('did:web:auditevil-e.org')
  expect(shorten('did:sol:7fUAJdStEuGbc3sM84cKRL6yYaaSstyLSU4ve5oovLS7')).toBe('did:sol:7fUAJ…ovLS7')
})
