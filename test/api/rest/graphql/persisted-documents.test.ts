import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { useTestApp } from '../../../support/app.ts'
import type { GraphQLAnswer } from '../../../support/graphql.ts'

const t = useTestApp()

const DOCUMENT = 'query Persisted { health { status } }'
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const extensionsOf = (sha256Hash: unknown, version = 1) => ({ persistedQuery: { version, sha256Hash } })
const post = async (payload: object): Promise<GraphQLAnswer> =>
  (await t.app.inject({ method: 'POST', url: '/graphql', payload })).json()
const RESULT = { data: { health: { status: 'ok' } } }

test('after a document was executed with its hash, the hash alone is enough, by POST and GET', async () => {
  const extensions = extensionsOf(hashOf(DOCUMENT))
  expect(await post({ extensions })).toEqual({
    errors: [
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', status: 404 } },
    ],
  })
  expect(await post({ query: DOCUMENT, extensions })).toEqual(RESULT)
  expect(await post({ extensions })).toEqual(RESULT)
  const url = `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`
  const response = await t.app.inject(url)
  expect([response.statusCode, response.json()]).toEqual([200, RESULT])
})

test.each([
  [
    'the hash of another document',
    hashOf('{ a }'),
    1,
    'extensions.persistedQuery.sha256Hash is not the SHA-256 of the query',
  ],
  [
    'an invalid hash',
    'x',
    1,
    'extensions.persistedQuery must have version 1 and a sha256Hash of 64 hex digits',
  ],
  ['an unknown version', hashOf(DOCUMENT), 2, 'extensions.persistedQuery must have version 1'],
])('%s is refused', async (_, hash, version, message) => {
  const { errors } = await post({ query: DOCUMENT, extensions: extensionsOf(hash, version) })
  expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { status: 400 } }])
})

test('an invalid document is not stored', async () => {
  const invalid = '{ nothing }'
  await post({ query: invalid, extensions: extensionsOf(hashOf(invalid)) })
  const { errors } = await post({ extensions: extensionsOf(hashOf(invalid)) })
  expect(errors?.[0]?.extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
})
