import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import bs58 from 'bs58'
import canonicalize from 'canonicalize'
import { describe, expect, test } from 'vitest'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { CARD_LIMITS, parseCard, readCardContent } from '../../../src/identity/agent-cards/card-content.ts'
import { checkCardSignature, hashCard, matchHash } from '../../../src/identity/agent-cards/check-card.ts'
import { locateDocument } from '../../../src/platform/net/hosted/fetch-hosted.ts'
import * as fc from '../../support/property.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** A card of A2A 1.0. */
const CARD = {
  name: 'Kestrel Auditor',
  description: 'Audits contracts',
  version: '2.3.0',
  supportedInterfaces: [
    { url: 'https://kestrel.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
    { url: 'https://kestrel.example/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ],
  provider: { organization: 'Kestrel Ltd', url: 'https://kestrel.example' },
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: [],
  skills: [{ id: 'audit', name: 'Audit', description: 'Finds holes', tags: ['security'], examples: [] }],
}

describe('a card matches by its bytes or its canonical form', () => {
  const recorded = JSON.stringify(CARD)
  const match = (body: string | Uint8Array, hash: string) => {
    const given = typeof body === 'string' ? bytes(body) : body
    return matchHash(hashCard(given, parseCard(given)), hash)
  }

  test('the bytes match, even if they are not JSON', () => {
    expect(match(recorded, sha256(recorded))).toBe('raw')
    expect(match('no JSON', sha256('no JSON'))).toBe('raw')
    expect(match(Uint8Array.of(0xff, 0xfe), sha256(Uint8Array.of(0xff, 0xfe)))).toBe('raw')
  })

  test('the canonical form matches, with any whitespace and key order', () => {
    const hash = sha256(canonicalize(CARD)!)
    const reversed = Object.fromEntries(Object.entries(CARD).toReversed())
    for (const body of [JSON.stringify(CARD, null, 2), JSON.stringify(reversed), `\n${recorded}\t`]) {
      expect(match(body, hash)).toBe('jcs')
    }
    expect(match(canonicalize(CARD)!, hash)).toBe('raw')
  })

  test('other content does not match', () => {
    expect(match(recorded.replace('2.3.0', '2.3.1'), sha256(canonicalize(CARD)!))).toBeNull()
    expect(match('', sha256(recorded))).toBeNull()
  })

  test.each([
    ['a repeated key', '{"a":1,"a":2}', '{"a":2}'],
    ['a repeated key, once escaped', '{"a":1,"\\u0061":2}', '{"a":2}'],
    ['a repeated key in an inner object', '[{"x":{"a":1,"b":0,"a" : 2}}]', '[{"x":{"a":2,"b":0}}]'],
    ['a repeated key, with a string that looks like a key', '{"a":"\\"b\\":","a":2}', '{"a":2}'],
    ['__proto__ once', '{"__proto__":{} }', '{"__proto__":{}}'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '{"__proto__":2}'],
    ['a rounded integer', '{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['an infinite number', '{"a":1e400}', '{"a":null}'],
    ['a lone surrogate', '{"a":"\\ud800"} ', '{"a":"\\ud800"}'],
    ['a lone surrogate in a key', '{"\\ud800":1} ', '{"\\ud800":1}'],
    ['a byte order mark', '\ufeff{"a":1}', '{"a":1}'],
    ['too much nesting', `${'['.repeat(70)}${']'.repeat(70)} `, `${'['.repeat(70)}${']'.repeat(70)}`],
    ['too many values', `[${'0,'.repeat(10_000)}0] `, `[${'0,'.repeat(10_000)}0]`],
  ])('ambiguous or too large JSON has no canonical form: %s', (_, body, canonical) => {
    expect(match(body, sha256(canonical))).toBeNull()
  })

  test('unambiguous JSON always has a canonical form', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false, maxDepth: 5 }), fc.nat(3), (text, indent) => {
        fc.pre(!text.includes('__proto__'))
        const value: unknown = JSON.parse(text, (_, each: unknown) =>
          typeof each === 'number' && Math.abs(each) > Number.MAX_SAFE_INTEGER ? 0 : each,
        )
        const canonical = canonicalize(value)!
        const body = JSON.stringify(value, null, indent)
        expect(match(body, sha256(canonical))).toBe(body === canonical ? 'raw' : 'jcs')
      }),
    )
  })
})

describe('the content of a card', () => {
  test('A2A 1.0 is read', () => {
    expect(readCardContent({ ...CARD, credentials: ['https://a/1', { url: 'https://a/2' }, 3, {}] })).toEqual(
      {
        name: 'Kestrel Auditor',
        description: 'Audits contracts',
        version: '2.3.0',
        url: 'https://kestrel.example/a2a',
        protocolVersion: '1.0',
        provider: 'Kestrel Ltd',
        documentationUrl: null,
        interfaces: [
          { url: 'https://kestrel.example/a2a', binding: 'JSONRPC', protocolVersion: '1.0' },
          { url: 'https://kestrel.example/grpc', binding: 'GRPC', protocolVersion: '1.0' },
        ],
        skills: [{ id: 'audit', name: 'Audit', description: 'Finds holes', tags: ['security'] }],
        credentials: ['https://a/1', 'https://a/2'],
      },
    )
  })

  test('A2A 0.3 is read', () => {
    const content = readCardContent({
      protocolVersion: '0.3.0',
      name: 'Old',
      url: 'https://old.example/rpc',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: 'https://old.example/rpc', transport: 'JSONRPC' },
        { url: 'https://old.example/rest', transport: 'HTTP+JSON' },
      ],
    })
    expect(content).toMatchObject({
      url: 'https://old.example/rpc',
      protocolVersion: '0.3.0',
      interfaces: [
        { url: 'https://old.example/rpc', binding: 'JSONRPC', protocolVersion: '0.3.0' },
        { url: 'https://old.example/rest', binding: 'HTTP+JSON', protocolVersion: null },
      ],
      skills: [],
    })
  })

  test('anything else is read without harm, and can be stored', () => {
    expect(readCardContent([CARD])).toBeNull()
    expect(readCardContent('card')).toBeNull()
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom(...Object.keys(CARD), 'url', 'tags', 'credentials') }),
        (card) => {
          const text = JSON.stringify(readCardContent(card))
          expect(text).not.toContain('\\u0000')
          expect(text.isWellFormed()).toBe(true)
        },
      ),
    )
    const long = readCardContent({
      name: `\0${'x'.repeat(10_000)}`,
      skills: Array.from({ length: 1_000 }, (_, id) => ({ id })),
    })
    expect(long?.name).toHaveLength(CARD_LIMITS.shortText)
    expect(long?.skills).toHaveLength(CARD_LIMITS.skills)
  })

  test('a card of 256 KB is stored in a fifth of that, whichever list is long', () => {
    const wide = '\u202E'.repeat(5_000)
    const entry = { url: wide, id: wide, name: wide, description: wide, tags: Array(4).fill(wide) }
    const entryOf = (n: number) => ({ ...entry, transport: String(n), url: `${n}${wide}` })
    const entries = Array.from({ length: 32 }, (_, n) => entryOf(n))
    const lists = { skills: entries, supportedInterfaces: entries, credentials: entries }
    const provider = { organization: wide }
    const { tags: _, id: __, ...header } = { ...entry, version: wide, documentationUrl: wide, provider }
    const { skills, interfaces, credentials, ...content } = readCardContent({ ...header, ...lists })!
    const all = { ...content, skills, interfaces, credentials }
    expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThan(55_000)
    expect([skills.length, interfaces.length, credentials.length]).toEqual([1, 1, 1])
  })
})

describe('signatures of cards', () => {
  const owner = keyPair()
  const other = keyPair()
  const kid = `did:sol:${owner.key}#key-1`

  const state = (card: object, text = JSON.stringify(card)) =>
    checkCardSignature(parseCard(bytes(text))!, owner.key)

  test('a signature of the owner is verified, over the card as served or without default values', () => {
    const header = { alg: 'EdDSA', kid, typ: 'JOSE', jku: 'https://evil.example/keys' }
    const asServed = signed(CARD, owner.secret, header)
    expect(state(asServed)).toBe('verified')
    const { tenant: _, ...first } = CARD.supportedInterfaces[0]!
    const { examples: __, ...skill } = CARD.skills[0]!
    const lean = { ...CARD, supportedInterfaces: [first, CARD.supportedInterfaces[1]], skills: [skill] }
    const [signature] = signed(lean, owner.secret, { alg: 'EdDSA', kid }).signatures
    expect(state({ ...CARD, signatures: [signature] })).toBe('verified')
    const foreign = signed(CARD, other.secret, { alg: 'EdDSA', kid: `did:sol:${other.key}#key-1` }).signatures
    expect(state({ ...asServed, signatures: [...foreign, ...asServed.signatures] })).toBe('verified')
  })

  test('a card can be unsigned or signed by others', () => {
    expect(state(CARD)).toBe('unsigned')
    expect(state({ ...CARD, signatures: [] })).toBe('unsigned')
    expect(state(signed(CARD, other.secret, { alg: 'EdDSA', kid: `did:sol:${other.key}#key-1` }))).toBe(
      'foreign',
    )
    expect(state(signed(CARD, other.secret, { alg: 'EdDSA' }))).toBe('foreign')
    expect(state({ ...CARD, signatures: [{ protected: '%', signature: '' }, null, 7] })).toBe('foreign')
  })

  test.each([
    ['another key', () => signed(CARD, other.secret, { alg: 'EdDSA', kid })],
    ['another algorithm', () => signed(CARD, owner.secret, { alg: 'none', kid })],
    [
      'critical extensions',
      () => signed(CARD, owner.secret, { alg: 'EdDSA', kid, crit: ['b64'], b64: false }),
    ],
    ['a changed card', () => ({ ...signed(CARD, owner.secret, { alg: 'EdDSA', kid }), version: '9' })],
    [
      'a changed header',
      () => {
        const card = signed(CARD, owner.secret, { alg: 'EdDSA', kid })
        const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid, x: 1 })).toString('base64url')
        return { ...card, signatures: [{ ...card.signatures[0], protected: header }] }
      },
    ],
  ])('a signature with the key id of the owner is invalid with %s', (_, card) => {
    expect(state(card())).toBe('invalid')
  })

  test('the payload of many signatures is computed once', () => {
    const { signatures } = signed(CARD, other.secret, { alg: 'EdDSA', kid })
    let reads = 0
    const value = {
      ...CARD,
      signatures: Array.from({ length: 8 }, () => signatures[0]),
      get extra() {
        reads += 1
        return 'x'
      },
    }
    expect(checkCardSignature({ value, canonical: '', problem: null }, owner.key)).toBe('invalid')
    expect(reads).toBe(1)
  })

  test('a signed card with a repeated key is invalid', () => {
    const card = signed(CARD, owner.secret, { alg: 'EdDSA', kid })
    expect(state(card, `{"name":"Evil",${JSON.stringify(card).slice(1)}`)).toBe('invalid')
  })
})

describe('the location of a document', () => {
  const gateways = { ipfs: 'https://ipfs.test/base', arweave: 'https://ar.test' }
  const cid = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
  const id = 'a'.repeat(43)

  test.each([
    ['https://a.test/card.json?x=1#part', { kind: 'address', url: 'https://a.test/card.json?x=1' }],
    [`ipfs://${cid}/card.json`, { kind: 'address', url: `https://ipfs.test/base/ipfs/${cid}/card.json` }],
    [`ipfs://${cid}`, { kind: 'address', url: `https://ipfs.test/base/ipfs/${cid}` }],
    [`ar://${id}`, { kind: 'address', url: `https://ar.test/${id}` }],
    [
      'did:web:a.test',
      { kind: 'did:web', documentUrl: 'https://a.test/.well-known/did.json', fragment: null },
    ],
    [
      'did:web:a.test%3A8443:agents:1#card',
      { kind: 'did:web', documentUrl: 'https://a.test:8443/agents/1/did.json', fragment: 'card' },
    ],
    [`did:sol:${'1'.repeat(32)}#agent-card`, { kind: 'did:sol', did: `did:sol:${'1'.repeat(32)}` }],
  ])('%s', (url, location) => {
    expect(locateDocument(url, gateways)).toEqual(location)
  })

  test.each([
    'https://agents.example.org/card.json',
    'https://example.com/',
    'https://a.example/',
    'did:web:agents.example.org',
    `ipfs://..%2f..%2fadmin`,
    `ipfs://${cid.slice(0, 10)}`,
    'ar://../admin',
    'did:web:',
    'did:web:a.test%2F..%2Fb',
    'did:web:user%40a.test',
    'did:key:z6Mk',
    'did:sol:',
    'did:sol:abc',
    `did:sol:devnet:${'1'.repeat(32)}`,
    `did:sol:${'1'.repeat(32)}?service=card`,
    'ftp://a.test/',
    'javascript:alert(1)',
    'https://',
    '',
  ])('%j has no location', (url) => {
    expect(locateDocument(url, gateways)).toEqual({ kind: 'none', reason: expect.any(String) as string })
  })

  test('ipfs and ar have no location without a gateway', () => {
    const none = { ipfs: null, arweave: null }
    for (const [scheme, path] of [
      ['ipfs', cid],
      ['ar', id],
    ]) {
      const reason = `No gateway for ${scheme}:// is configured`
      expect(locateDocument(`${scheme}://${path}`, none)).toEqual({ kind: 'none', reason })
    }
  })
})

function keyPair(): { key: Pubkey; secret: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  return { key: pubkey(bs58.encode(raw)), secret: privateKey }
}

function signed<Card extends object>(card: Card, secret: KeyObject, header: object) {
  const encode = (text: string): string => Buffer.from(text).toString('base64url')
  const protectedHeader = encode(JSON.stringify(header))
  const signature = sign(null, Buffer.from(`${protectedHeader}.${encode(canonicalize(card)!)}`), secret)
  return { ...card, signatures: [{ protected: protectedHeader, signature: signature.toString('base64url') }] }
}
