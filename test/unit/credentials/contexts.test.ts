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

/** What the service says of a folder with this context. */
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

test('every file of the folder is pinned, keeps the rules, and defines the four kinds', () => {
  const folder = fileURLToPath(new URL('../../../src/identity/credentials/contexts', import.meta.url))
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonld'))
  expect(PINNED_CONTEXTS.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
  expect([...contexts.keys()]).toEqual(PINNED_CONTEXTS.map(({ url }) => url))
  const own = contexts.get(AGENT_CREDENTIALS_V1) as Json
  expect(Object.keys(own['@context'])).toEqual(expect.arrayContaining([...KNOWN_KINDS]))
  // The recommendation prints the hash of the context of Data Integrity, and the suite's that of its own.
  const published = readFileSync(join(folder, 'data-integrity-v2.jsonld'))
  expect(createHash('sha256').update(published).digest('hex')).toMatch(/^67f21e6e33a6c14e/)
})

test('an operator adds contexts', () => {
  expect(problemOf(term('https://contexts.example/v1#licence'))).toBe(String(PINNED_CONTEXTS.length + 1))
})

test.each([
  [
    'another hash',
    term('https://a.example/#x'),
    { sha256: '0'.repeat(64) },
    /own.jsonld has SHA-256 [0-9a-f]{64}, not the pinned 0000/,
  ],
  ['no file', {}, { file: 'other.jsonld', sha256: '0'.repeat(64) }, /other.jsonld does not exist/],
  ['a file elsewhere', {}, { file: '../own.jsonld' }, /needs "file", a path inside the folder/],
  ['a URL that is none', {}, { url: 'contexts' }, /needs "url", an https URL/],
  ['a URL that is there', term('https://a.example/#x'), { url: AGENT_CREDENTIALS_V1 }, /is there already/],
  ['no JSON', '{', {}, /own.jsonld is not JSON/],
  ['no @protected', { '@context': { licence: 'https://a.example/#x' } }, {}, /lacks "@protected"/],
  ['@vocab', { '@context': { '@protected': true, '@vocab': 'https://a.example/#' } }, {}, /has @vocab/],
  ['@base', { '@context': { '@protected': true, '@base': 'https://a.example/' } }, {}, /has @base/],
  ['@import', { '@context': { '@protected': true, '@import': 'https://a.example/' } }, {}, /has @import/],
  [
    'a list of contexts',
    { '@context': [{ '@protected': true }] },
    {},
    /must be an object with "@context" alone/,
  ],
  [
    'a context from elsewhere',
    term({ '@id': 'https://a.example/#x', '@context': 'https://a.example/' }),
    {},
    /contexts from elsewhere/,
  ],
  ['an alias of @index', term('@index'), {}, /licence stands for @index/],
  [
    'a container by index',
    term({ '@id': 'https://a.example/#x', '@container': '@index' }),
    {},
    /container that is not taken/,
  ],
  ['@reverse', term({ '@reverse': 'https://a.example/#x' }), {}, /has @reverse/],
  [
    'a second name of a known term',
    term('https://agent-registry.example/vocab#auditResult'),
    {},
    /auditResult and licence both stand for/,
  ],
  [
    'a second name through a prefix',
    { '@context': { '@protected': true, cr: 'https://www.w3.org/2018/credentials#', maker: 'cr:issuer' } },
    {},
    /issuer and maker both stand for/,
  ],
])('the service does not start with %s', (_, document, entry, problem) => {
  expect(problemOf(document, entry)).toMatch(problem)
})

test('a folder without index.json', () => {
  expect(() => loadContexts(temporaryFolder('contexts-'))).toThrow(/index.json does not exist/)
})
