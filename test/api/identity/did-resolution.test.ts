import { beforeAll, describe, expect, test } from 'vitest'
import { PROGRAM, useTestApp } from '../../support/app.ts'
import { createTestIssuer, loaderOf, MODELS, SUITES, unsigned } from '../../support/identity/issuer.ts'
import { verifiedByDigitalBazaar } from '../../support/identity/oracle.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'

const RESULT = 'application/did-resolution'
const OLDER_RESULT = 'application/ld+json;profile="https://w3id.org/did-resolution"'
const PART = 'application/did-url-dereferencing'
const issuer = createTestIssuer('a registered agent')
const { did, vm } = issuer
const ERRORS = 'https://www.w3.org/ns/did#'

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, [
    agentRow('Kestrel', { owner: did.slice('did:sol:'.length) }),
    agentRow('Gone', { status: 'deactivated' }),
    agentRow('Odd', { agent_card_url: 'not a url' }),
  ])
})

const resolve = (path: string, accept?: string) =>
  t.app.inject({ url: `/1.0/identifiers/${path}`, headers: accept === undefined ? {} : { accept } })
const document = async () =>
  (await t.app.inject({ url: `/did/${did}/document`, headers: { accept: 'application/did' } })).json<
    Record<string, unknown>
  >()

test.each([undefined, '*/*', 'application/did', 'application/json;q=0.5, application/did'])(
  'Accept %s returns the Multikey document',
  async (accept) => {
    const response = await resolve(did, accept)
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/did'])
    expect(response.headers['vary']).toBe('Origin, accept')
    expect(response.json()).toEqual(await document())
  },
)

test.each([RESULT, OLDER_RESULT, `${RESULT}, application/did;q=0.9`])(
  'Accept %s returns the result of DID Resolution',
  async (accept) => {
    const response = await resolve(encodeURIComponent(did), accept)
    expect(response.headers['content-type']).toBe(accept === OLDER_RESULT ? OLDER_RESULT : RESULT)
    expect(response.json()).toEqual({
      didDocument: await document(),
      didResolutionMetadata: { contentType: 'application/did' },
      didDocumentMetadata: {
        created: expect.stringMatching(/Z$/) as string,
        updated: expect.stringMatching(/Z$/) as string,
        versionId: expect.stringMatching(/^[\w-]{43}$/) as string,
      },
    })
  },
)

test('the version changes with the document', async () => {
  const version = async () =>
    (await resolve(did, RESULT)).json<{ didDocumentMetadata: { versionId: string } }>().didDocumentMetadata
      .versionId
  const before = await version()
  expect(await version()).toBe(before)
  const change = (url: string) =>
    t.kysely.updateTable('agents').set({ agent_card_url: url }).where('name', '=', 'Kestrel').execute()
  await change('https://moved.example/card.json')
  expect(await version()).not.toBe(before)
  await change('https://agents.example/Kestrel.json')
  expect(await version()).toBe(before)
})

test('the DID of a deactivated agent is 410 with its document', async () => {
  const response = await resolve(`did:sol:${keyOf('owner Gone')}`, RESULT)
  expect(response.statusCode).toBe(410)
  expect(response.json()).toMatchObject({
    didDocument: { id: `did:sol:${keyOf('owner Gone')}` },
    didDocumentMetadata: { deactivated: true },
  })
  expect((await resolve(`did:sol:${keyOf('owner Gone')}`)).statusCode).toBe(410)
})

test.each([
  ['did:sol:x', 400, 'INVALID_DID', 'INVALID_DID'],
  ['x', 400, 'INVALID_DID', 'INVALID_DID'],
  [`${did}%2Fpath`, 400, 'INVALID_DID', 'INVALID_DID'],
  [`did:sol:${keyOf('nobody')}`, 404, 'NOT_FOUND', 'DID_NOT_FOUND'],
  ['did:web:agents.example', 501, 'METHOD_NOT_SUPPORTED', 'DID_METHOD_NOT_SUPPORTED'],
])('%s is %i %s', async (path, status, type, code) => {
  const resolution = await resolve(path, `${RESULT}, ${PART}`)
  expect([resolution.statusCode, resolution.headers['content-type']]).toEqual([status, RESULT])
  expect(resolution.json()).toEqual({
    didDocument: null,
    didResolutionMetadata: {
      error: { type: `${ERRORS}${type}`, title: expect.stringMatching(/\w/) as string },
    },
    didDocumentMetadata: {},
  })
  expect((await resolve(path, PART)).json()).toMatchObject({
    content: null,
    dereferencingMetadata: { error: { type: `${ERRORS}${type}` } },
  })
  const plain = await resolve(path)
  expect([plain.statusCode, plain.headers['content-type']]).toEqual([
    status,
    'application/json; charset=utf-8',
  ])
  expect(plain.json()).toMatchObject({ details: { code } })
})

test.each(['%23key-2', '?service=files'])('a DID URL with %s is 404', async (part) => {
  const response = await resolve(`${did}${part}`, PART)
  expect(response.statusCode).toBe(404)
  expect(response.json()).toEqual({
    content: null,
    contentMetadata: {},
    dereferencingMetadata: {
      error: {
        type: `${ERRORS}NOT_FOUND`,
        title: expect.stringContaining('The DID Document has no') as string,
      },
    },
  })
  expect((await resolve(`${did}${part}`)).json()).toMatchObject({
    details: { code: 'DID_RESOURCE_NOT_FOUND' },
  })
})

test('an Accept header without any of the types is 406', async () => {
  const response = await resolve(did, 'text/html')
  expect([response.statusCode, response.json()]).toMatchObject([406, { details: { code: 'NOT_ACCEPTABLE' } }])
  const { statusCode, body } = await resolve(`${did}%23key-1`, RESULT)
  expect(statusCode).toBe(406)
  expect(body).toContain(`${ERRORS}REPRESENTATION_NOT_SUPPORTED`)
})

describe('a DID URL', () => {
  test('with the fragment of the key returns the key with its context', async () => {
    const key = {
      '@context': 'https://w3id.org/security/multikey/v1',
      ...((await document())['verificationMethod'] as object[])[0],
    }
    expect((await resolve(`${did}%23key-1`)).json()).toEqual(key)
    expect((await resolve(encodeURIComponent(vm), PART)).json()).toEqual({
      content: key,
      contentMetadata: {},
      dereferencingMetadata: { contentType: 'application/did' },
    })
  })

  test.each(['?service=registry', '%3Fservice=registry'])(
    'with %s redirects to the service',
    async (query) => {
      const response = await resolve(`${did}${query}`)
      const endpoint = `solana:${PROGRAM}:${keyOf('agent Kestrel')}`
      expect([response.statusCode, response.headers['location'], response.body]).toEqual([303, endpoint, ''])
      expect((await resolve(`${did}${query}`, PART)).json()).toEqual({
        content: endpoint,
        contentMetadata: {},
        dereferencingMetadata: { contentType: 'text/uri-list' },
      })
    },
  )

  test('without a fragment and a service returns the document', async () => {
    expect((await resolve(did, PART)).json()).toEqual({
      content: await document(),
      contentMetadata: expect.objectContaining({ versionId: expect.any(String) as string }) as object,
      dereferencingMetadata: { contentType: 'application/did' },
    })
  })

  test('never redirects to a text that is not a URL', async () => {
    const response = await resolve(`did:sol:${keyOf('owner Odd')}?service=agent-card`)
    expect([response.statusCode, response.headers['location']]).toEqual([404, undefined])
  })
})

describe.each(MODELS)('the Digital Bazaar verifier with VC %s', (model) => {
  test.each(SUITES)('verifies %s with the served documents', async (suite) => {
    const served = new Map<string, unknown>([
      [did, await document()],
      [vm, (await resolve(encodeURIComponent(vm))).json()],
    ])
    const credential = await issuer.sign(unsigned(model, suite, did), suite)
    expect(await verifiedByDigitalBazaar(credential, loaderOf(served))).toBe(true)
    credential.credentialSubject.auditor = 'Somebody else'
    expect(await verifiedByDigitalBazaar(credential, loaderOf(served))).toBe(false)
  })
})
