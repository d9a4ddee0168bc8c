import bs58 from 'bs58'
import * as fc from '../../support/property.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { didDocument } from '../../../src/identity/did-document.ts'
import { PROGRAM, useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { post, query } from '../../support/graphql.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const OWNER = keyOf('owner Kestrel')
const PDA = keyOf('agent Kestrel')
const DID = `did:sol:${OWNER}`
const CARD_URL = 'https://agents.example/Kestrel.json'

/** The fields of the contract in its order. */
const DOCUMENT = {
  '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
  id: DID,
  controller: DID,
  verificationMethod: [
    { id: `${DID}#key-1`, type: 'Ed25519VerificationKey2020', controller: DID, publicKeyBase58: OWNER },
  ],
  authentication: [`${DID}#key-1`],
  assertionMethod: [`${DID}#key-1`],
  service: [
    { id: `${DID}#agent-card`, type: 'A2AAgentCard', serviceEndpoint: CARD_URL },
    { id: `${DID}#registry`, type: 'ServiceRegistry', serviceEndpoint: `solana:${PROGRAM}:${PDA}` },
  ],
}
/** The same document for `Accept: application/did`. */
const MULTIKEY_DOCUMENT = {
  ...DOCUMENT,
  '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
  verificationMethod: [
    {
      id: `${DID}#key-1`,
      type: 'Multikey',
      controller: DID,
      publicKeyMultibase: `z${bs58.encode(Uint8Array.from([0xed, 0x01, ...bs58.decode(OWNER)]))}`,
    },
  ],
}
const RESOLUTION = {
  did: DID,
  agent: { pda: PDA, name: 'Kestrel', tier: 'premium', reputation_score: 812 },
  didDocument: DOCUMENT,
}

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, [
    agentRow('Kestrel', { tier: 'premium', reputation_score: 812 }),
    agentRow('Gone', { status: 'deactivated' }),
  ])
})

test('a DID resolves to its agent and its DID Document', async () => {
  const response = await t.app.inject(`/did/${DID}`)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.body).toBe(JSON.stringify(RESOLUTION))
})

test('the DID Document has the media type of DID Core', async () => {
  const response = await t.app.inject(`/did/${DID}/document`)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('application/did+ld+json')
  expect(response.body).toBe(JSON.stringify(DOCUMENT))
})

test.each([
  ['application/did', 'application/did'],
  ['application/did, */*;q=0.1', 'application/did'],
  ['Application/DID;q=0.9, application/did+ld+json;q=0.5', 'application/did'],
  ['application/did, application/did+ld+json', 'application/did+ld+json'],
  ['application/did;q=0', 'application/did+ld+json'],
  ['application/did;q=x', 'application/did+ld+json'],
  ['application/json', 'application/did+ld+json'],
  ['*/*', 'application/did+ld+json'],
])('the media type for Accept: %s is %s', async (accept, type) => {
  const response = await t.app.inject({ url: `/did/${DID}/document`, headers: { accept } })
  expect(response.headers).toMatchObject({
    'content-type': type,
    vary: expect.stringMatching(/(^|, )accept$/),
  })
  expect(response.json()).toEqual(type === 'application/did' ? MULTIKEY_DOCUMENT : DOCUMENT)
})

test('colons can be percent-encoded once', async () => {
  const encoded = encodeURIComponent(DID)
  expect((await t.app.inject(`/did/${encoded}`)).json()).toEqual(RESOLUTION)
  expect((await t.app.inject(`/did/${encoded}/document`)).json()).toEqual(DOCUMENT)
  expect((await t.app.inject(`/did/${encodeURIComponent(encoded)}`)).statusCode).toBe(400)
})

describe('an invalid DID is refused with 400', () => {
  test.each([
    ['another method', `did:web:example.org`],
    ['no method', OWNER],
    ['an empty key', 'did:sol:'],
    ['a cluster prefix', `did:sol:devnet:${OWNER}`],
    ['a fragment', `${DID}%23key-1`],
    ['a path', `${DID}%2Fx`],
    ['a query', `${DID}%3Fversion=1`],
    ['upper case', `DID:SOL:${OWNER}`],
    ['31 bytes', `did:sol:${bs58.encode(new Uint8Array(31).fill(7))}`],
    ['33 bytes', `did:sol:${bs58.encode(new Uint8Array(33).fill(7))}`],
    ['a character outside base-58', `did:sol:0${OWNER.slice(1)}`],
    ['a space', `did:sol:${OWNER}%20`],
    ['10,000 characters', `did:sol:${'1'.repeat(10_000)}`],
  ])('%s', async (_, given) => {
    for (const url of [`/did/${given}`, `/did/${given}/document`]) {
      const response = await t.app.inject(url)
      expect(response.statusCode).toBe(400)
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(response.json()).toMatchObject({
        error: expect.stringMatching(/^did must be did:sol: and a base-58 public key of 32 bytes, got "/),
        details: { code: 'INVALID_DID', parameter: 'did' },
      })
    }
  })
})

test('an owner without an agent, or with a closed one, is not found', async () => {
  const gone = `did:sol:${keyOf('owner Gone')}`
  expect((await t.app.inject(`/did/${gone}`)).statusCode).toBe(200)
  await t.kysely.deleteFrom('agents').where('name', '=', 'Gone').execute()
  for (const url of [`/did/${gone}`, `/did/${gone}/document`, `/did/did:sol:${keyOf('nobody')}`]) {
    const response = await t.app.inject(url)
    expect(responseOf(response)).toEqual(refused(404, 'DID_NOT_FOUND', 'DID not found'))
  }
})

test('GraphQL resolves DIDs and has the DID of every agent', async () => {
  const { did, agents } = await query<{ did: unknown; agents: unknown }>(
    t,
    `query ($did: String!) {
      did(did: $did) { did agent { pda did } didDocument { context id service { id serviceEndpoint } } }
      agents { nodes { owner did } }
    }`,
    { did: DID },
  )
  expect(did).toEqual({
    did: DID,
    agent: { pda: PDA, did: DID },
    didDocument: {
      context: DOCUMENT['@context'],
      id: DID,
      service: DOCUMENT.service.map(({ id, serviceEndpoint }) => ({ id, serviceEndpoint })),
    },
  })
  expect(agents).toEqual({ nodes: [{ owner: OWNER, did: DID }] })
  const refused = await post(t, '{ did(did: "did:sol:x") { did } }')
  expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_DID', status: 400 })
})

describe('the DID Document names the agent card if its URL is valid', () => {
  const serviceIds = (agentCardUrl: string): string[] =>
    didDocument({ owner: OWNER, pda: PDA, agentCardUrl }, PROGRAM).service.map(({ id }) => id)

  test.each([
    'https://a.example/card',
    'ipfs://bafybei/card.json',
    'ar://tx-id',
    'did:web:example.org%3A8443',
  ])('it has #agent-card for %s', (url) => {
    expect(serviceIds(url)).toEqual([`${DID}#agent-card`, `${DID}#registry`])
  })

  test.each([
    'https://',
    'https://a b',
    'https://a.example/%zz',
    'https://exämple/',
    'https://[::1',
    'card.json',
    '',
  ])('it does not have #agent-card for %j', (url) => {
    expect(serviceIds(url)).toEqual([`${DID}#registry`])
  })

  test('every service endpoint is a URL, for any text on the ledger', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (url) => {
        const { service } = didDocument({ owner: OWNER, pda: PDA, agentCardUrl: url }, PROGRAM)
        expect(service.every(({ serviceEndpoint }) => URL.canParse(serviceEndpoint))).toBe(true)
      }),
    )
  })
})
