import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadContexts } from '../../../src/identity/credentials/contexts/load.ts'
import { AGENT_CREDENTIALS_V1, PINNED_CONTEXTS } from '../../../src/identity/credentials/contexts/pinned.ts'
import { KNOWN_KINDS } from '../../../src/identity/credentials/kinds.ts'
import { contexts, type Json } from '../../support/credentials/issuer.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const URL_ = 'https://contexts.example/v1'
const term = (definition: Json): Json => ({ '@context': { '@protected': true, licence: definition } })

/** The error text for a folder with this context, or the number of contexts. */
function problemOf(document: Json, entry: Json = {}): string {
  const folder = temporaryFolder('contexts-')
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  writeFileSync(join(folder, 'own.jsonld'), text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify([{ url: URL_, file: 'own.jsonld', sha256, ...entry }]),
  )
  try {
    return String(loadContexts(folder).size)
  } catch (error) {
    return (error as Error).message
  }
}

test('every context file is pinned and valid, and the own context defines the four kinds', () => {
  const folder = fileURLToPath(new URL('../../../src/identity/credentials/contexts', import.meta.url))
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonld'))
  expect(PINNED_CONTEXTS.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
  expect([...contexts.keys()]).toEqual(PINNED_CONTEXTS.map(({ url }) => url))
  const own = contexts.get(AGENT_CREDENTIALS_V1) as Json
  expect(Object.keys(own['@context'])).toEqual(expect.arrayContaining([...KNOWN_KINDS]))
  // The W3C recommendation prints this hash.
  const published = readFileSync(join(folder, 'data-integrity-v2.jsonld'))
  expect(createHash('sha256').update(published).digest('hex')).toMatch(/^67f21e6e33a6c14e/)
})

test('an operator can add contexts', () => {
  expect(problemOf(term('https://contexts.example/v1#licence'))).toBe(String(PINNED_CONTEXTS.length + 1))
})

test.each([
  [
    'another hash',
    term('https://a.example/#x'),
    { sha256: '0'.repeat(64) },
    /own.jsonld has SHA-256 [0-9a-f]{64}, not the pinned 0000/,
  ],
  ['a missing file', {}, { file: 'other.jsonld', sha256: '0'.repeat(64) }, /other.jsonld does not exist/],
  ['a file outside the folder', {}, { file: '../own.jsonld' }, /needs "file", a path inside the folder/],
  ['an invalid URL', {}, { url: 'contexts' }, /needs "url", an https URL/],
  [
    'a URL that is already defined',
    term('https://a.example/#x'),
    { url: AGENT_CREDENTIALS_V1 },
    /is defined twice/,
  ],
  ['invalid JSON', '{', {}, /own.jsonld is not JSON/],
  ['unprotected terms', { '@context': { licence: 'https://a.example/#x' } }, {}, /must have "@protected"/],
  [
    '@vocab',
    { '@context': { '@protected': true, '@vocab': 'https://a.example/#' } },
    {},
    /must not have @vocab/,
  ],
  ['@base', { '@context': { '@protected': true, '@base': 'https://a.example/' } }, {}, /must not have @base/],
  [
    '@import',
    { '@context': { '@protected': true, '@import': 'https://a.example/' } },
    {},
    /must not have @import/,
  ],
  [
    'a list of contexts',
    { '@context': [{ '@protected': true }] },
    {},
    /must be an object with only "@context"/,
  ],
  [
    'a reference to another context',
    term({ '@id': 'https://a.example/#x', '@context': 'https://a.example/' }),
    {},
    /references to other contexts/,
  ],
  ['an alias of @index', term('@index'), {}, /licence must not be mapped to @index/],
  [
    'an index container',
    term({ '@id': 'https://a.example/#x', '@container': '@index' }),
    {},
    /unsupported @container/,
  ],
  ['@reverse', term({ '@reverse': 'https://a.example/#x' }), {}, /must not have @reverse/],
  [
    'a second name for a known term',
    term('https://agent-registry.example/vocab#auditResult'),
    {},
    /auditResult and licence are both mapped to/,
  ],
  [
    'a second name through a prefix',
    { '@context': { '@protected': true, cr: 'https://www.w3.org/2018/credentials#', maker: 'cr:issuer' } },
    {},
    /issuer and maker are both mapped to/,
  ],
])('the service does not start with %s', (_, document, entry, problem) => {
  expect(problemOf(document, entry)).toMatch(problem)
})

test('the service does not start if index.json is missing', () => {
  expect(() => loadContexts(temporaryFolder('contexts-'))).toThrow(/index.json does not exist/)
})
