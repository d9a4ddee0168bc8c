import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadContexts } from '../../../../src/identity/credentials/contexts/load.ts'
import {
  AGENT_CREDENTIALS_V1,
  PINNED_CONTEXTS,
} from '../../../../src/identity/credentials/contexts/pinned.ts'
import { KNOWN_KINDS } from '../../../../src/identity/credentials/formats.ts'
import { OperatorError } from '../../../../src/platform/process/operator-error.ts'
import { contexts, type Json } from '../../../support/identity/issuer.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const URL_ = 'https://contexts.example/v1'
const X = 'https://a.example/#x'
const context = (terms: Json): Json => ({ '@context': { '@protected': true, ...terms } })
const term = (licence: Json): Json => context({ licence })

/** The error text for a folder with this context, or the number of contexts. */
function problemOf(document: Json, entry: Json = {}): string {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const sha256 = createHash('sha256').update(text).digest('hex')
  return problemOfIndex([{ url: URL_, file: 'own.jsonld', sha256, ...entry }], text)
}

function problemOfIndex(index: Json, own = '{}'): string {
  const folder = temporaryFolder('contexts-')
  writeFileSync(join(folder, 'own.jsonld'), own)
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index))
  try {
    return String(loadContexts(folder).size)
  } catch (error) {
    return (error as Error).message
  }
}

test('every context file is pinned and valid, and the own context defines the four kinds', () => {
  const folder = fileURLToPath(new URL('../../../../src/identity/credentials/contexts', import.meta.url))
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonld'))
  expect(PINNED_CONTEXTS.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
  expect([...contexts.keys()]).toEqual(PINNED_CONTEXTS.map(({ url }) => url))
  const own = contexts.get(AGENT_CREDENTIALS_V1) as Json
  expect(Object.keys(own['@context'])).toEqual(expect.arrayContaining([...KNOWN_KINDS]))
  // The W3C recommendation prints this hash.
  const published = readFileSync(join(folder, 'data-integrity-v2.jsonld'))
  expect(createHash('sha256').update(published).digest('hex')).toMatch(/^67f21e6e33a6c14e/)
})

test.each<[string, Json]>([
  ['a term', term('https://contexts.example/v1#licence')],
  ['a file of the largest size', JSON.stringify(term(X)).padEnd(262_144)],
  ['a term with the context null inside', term({ '@id': X, '@context': null })],
  ['IRIs without a prefix', context({ licence: 'urn:x', part: 'tag:x' })],
  ['the version and names of @id and @type', context({ '@version': 1.1, id: '@id', type: '@type' })],
])('an operator can add contexts: %s', (_, document) => {
  expect(problemOf(document)).toBe(String(PINNED_CONTEXTS.length + 1))
})

test.each<[string, Json, RegExp]>([
  ['another hash', { sha256: '0'.repeat(64) }, /own.jsonld has SHA-256 [0-9a-f]{64}, not the pinned 0000/],
  ['a missing file', { file: 'other.jsonld', sha256: '0'.repeat(64) }, /other.jsonld does not exist$/],
  ['a file outside the folder', { file: '../own.jsonld' }, /needs "file", a path inside the folder/],
  ['a file with an absolute path', { file: '/own.jsonld' }, /needs "file", a path inside the folder/],
  ['a file outside a Windows folder', { file: 'a\\..\\..\\own.jsonld' }, /needs "file"/],
  ['a file without name', { file: '' }, /needs "file"/],
  ['a file that is not a text', { file: 7 }, /needs "file"/],
  ['a folder as file', { file: '.' }, /\. cannot be read \(EISDIR\)/],
  ['an invalid URL', { url: 'contexts' }, /needs "url", an https URL/],
  ['an http URL', { url: 'http://a.example/' }, /entry 1 needs "url", an https URL/],
  ['a URL with fragment', { url: X }, /needs "url", an https URL without fragment/],
  ['a URL with a space', { url: 'https://a.example/ x' }, /needs "url"/],
  ['text before the URL', { url: ' https://a.example/' }, /needs "url"/],
  ['a URL without host', { url: 'https://:' }, /needs "url"/],
  ['a list of URLs', { url: [URL_] }, /needs "url"/],
  ['no hash', { sha256: undefined }, /needs "sha256", 64 lower-case hex digits/],
  ['a list of hashes', { sha256: ['0'.repeat(64)] }, /needs "sha256"/],
  ['a shorter hash', { sha256: '0'.repeat(63) }, /needs "sha256"/],
  ['a longer hash', { sha256: '0'.repeat(65) }, /needs "sha256"/],
  ['a URL that is already defined', { url: AGENT_CREDENTIALS_V1 }, /is defined twice/],
])('the service does not start with %s', (_, entry, problem) => {
  expect(problemOf(term(X), entry)).toMatch(problem)
})

test.each<[string, Json, RegExp]>([
  ['a larger file', '{}'.padEnd(262_145), /own.jsonld is larger than 262144 bytes/],
  ['invalid JSON', '{', /own.jsonld is not JSON/],
  ['unprotected terms', { '@context': { licence: X } }, /must have "@protected"/],
  ['@vocab', context({ '@vocab': 'https://a.example/#' }), /must not have @vocab/],
  ['@base', context({ '@base': 'https://a.example/' }), /must not have @base/],
  ['@import', context({ '@import': 'https://a.example/' }), /must not have @import/],
  ['a list of contexts', { '@context': [{ '@protected': true }] }, /must be an object with only "@context"/],
  ['more than @context', { ...term(X), id: 'x' }, /must be an object with only/],
  ['a file with null', 'null', /must be an object with only "@context"/],
  ['a term without IRI', term(null), /licence has no IRI/],
  [
    'unprotected terms inside a term',
    term({ '@id': X, '@context': { part: 'https://a.example/#y' } }),
    /@context.licence.@context must have "@protected"/,
  ],
  [
    'a second name for a term inside a term',
    term({
      '@id': 'https://a.example/#',
      '@context': { '@protected': true, part: 'licence:y', piece: 'https://a.example/#y' },
    }),
    /part and piece are both mapped to https:..a.example.#y/,
  ],
  ['type as a name of @id', context({ type: '@id' }), /@context.type must not be mapped to @id/],
  [
    'a reference to another context',
    term({ '@id': X, '@context': 'https://a.example/' }),
    /references to other contexts/,
  ],
  ['an alias of @index', term('@index'), /licence must not be mapped to @index/],
  ['an index container', term({ '@id': X, '@container': '@index' }), /unsupported @container/],
  ['@reverse', term({ '@reverse': X }), /must not have @reverse/],
  [
    'a second name for a known term',
    term('https://agent-registry.example/vocab#auditResult'),
    /auditResult and licence are both mapped to/,
  ],
  [
    'a second name while https is also a term',
    context({ https: 'urn:x', licence: 'https://agent-registry.example/vocab#auditResult' }),
    /auditResult and licence are both mapped to/,
  ],
  [
    'a second name through a prefix',
    context({ cr: 'https://www.w3.org/2018/credentials#', maker: 'cr:issuer' }),
    /issuer and maker are both mapped to/,
  ],
])('the service does not start with %s', (_, document, problem) => {
  expect(problemOf(document)).toMatch(problem)
})

test('the service does not start if index.json is missing', () => {
  const folder = temporaryFolder('contexts-')
  const text = `CREDENTIAL_CONTEXTS_DIR ${folder}: the JSON-LD contexts cannot be used:\n  - index.json does not exist`
  expect(() => loadContexts(folder)).toThrow(new OperatorError(text))
})

test.each<[string, Json, RegExp]>([
  ['is not a list', {}, /: the JSON-LD contexts cannot be used:\n {2}- index.json must be an array of/],
  ['has null', [null], /index.json entry 1 needs "url"/],
  [
    'has several problems',
    [{}, { url: URL_ }],
    /entry 1 needs "url".*\n {2}- index.json entry 2 needs "file"/,
  ],
])('the service does not start if index.json %s', (_, index, problem) => {
  expect(problemOfIndex(index)).toMatch(problem)
})
