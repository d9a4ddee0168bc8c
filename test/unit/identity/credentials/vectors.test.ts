import bs58 from 'bs58'
import { describe, expect, test } from 'vitest'
import { ED25519_SIGNATURE_2020_V1 } from '../../../../src/identity/credentials/contexts/pinned.ts'
import {
  createCanonize,
  signedData,
  verifyProofs,
} from '../../../../src/identity/credentials/verify/crypto/verify-proofs.ts'
import { keyFromMultibase, keyToMultibase } from '../../../../src/identity/credentials/formats.ts'
import { jcs } from '../../../../src/identity/json.ts'
import { contexts, type Json } from '../../../support/identity/issuer.ts'

/**
 * W3C Data Integrity EdDSA Cryptosuites, test vectors (github.com/w3c/vc-di-eddsa, folder
 * TestVectors: Ed25519Signature2020, eddsa-rdfc-2022, eddsa-jcs-2022; files signed*.json and
 * combinedHash*.txt as of commits 52110f69, 6767a890, 369f0f00 and 4ced3573; key: keyPair.json).
 */
const KEY = 'z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2'
const ALUMNI = {
  '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2'],
  id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential', 'AlumniCredential'],
  name: 'Alumni Credential',
  description: 'A minimum viable example of an Alumni Credential.',
  issuer: 'https://vc.example/issuers/5678',
  validFrom: '2023-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:abcdefgh', alumniOf: 'The School of Examples' },
}
const PROOF = {
  created: '2023-02-24T23:36:38Z',
  verificationMethod: `https://vc.example/issuers/5678#${KEY}`,
  proofPurpose: 'assertionMethod',
}
const VECTORS = [
  [
    'Ed25519Signature2020',
    { ...ALUMNI, '@context': [...ALUMNI['@context'], ED25519_SIGNATURE_2020_V1] },
    { type: 'Ed25519Signature2020' },
    'z5HNuvc5WbWYsRRt97kXJ6SoKgb1tMwtkQND4pnobZE26JGnohdWVpzashF9d8FRzhzm8oYRSivKACTakeE4DzdHL',
    '5e41905a6915396ff4eb426ce26c322d0e1d870b3d75cef95612cc94e4f8bad7517744132ae165a5349155bef0bb0cf2258fff99dfe1dbd914b938d775a36017',
  ],
  [
    'eddsa-rdfc-2022',
    ALUMNI,
    { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' },
    'z21EVs3eXERqTn4acNHT9viboqgzUaQ3kTmhPT3eA8qrVPE7CrQq78WkzctnMX5W4CrzcKnHw8V6dvy5pgWYCU5e9',
    '4c4d3890a157f8d611b13c265c2c22f39aa0a567c7c7dd9ba3e45cd579784eeb517744132ae165a5349155bef0bb0cf2258fff99dfe1dbd914b938d775a36017',
  ],
  [
    'eddsa-jcs-2022',
    ALUMNI,
    { type: 'DataIntegrityProof', cryptosuite: 'eddsa-jcs-2022', '@context': ALUMNI['@context'] },
    'z63t83Y53KfzJ5ZosfKTnqfMcKB2dmTrfjSaQjeNNjAD5srBowQfmWqeRb8rRjmeEuCBEsddF9LsVogtuTsijJKh4',
    // The published hashes belong to an older proof, so only the signature is checked.
    null,
  ],
  [
    'eddsa-jcs-2022',
    ALUMNI,
    { type: 'DataIntegrityProof', cryptosuite: 'eddsa-jcs-2022' },
    'z3P6rHMUaWG6e3Ac6xYFht8aEvoVXndgKTtEY8kzWYXzk8dKmAo2GJeZiJw4qoZ2PGp4ugdaHx3oQiLpeFBLDqP2M',
    '56d860737b1bc788da1f5c5a506115278314559a680f37976502c9b3ed1f38f459b7cb6251b8991add1ce0bc83107e3db9dbbab5bd2c28f687db1a03abc92f19',
  ],
] as const

// The vectors use a context with a default vocabulary, which the service does not accept.
const canonize = createCanonize(
  new Map([
    ...contexts,
    [ALUMNI['@context'][1]!, { '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' } }],
  ]),
)

describe('W3C vc-di-eddsa test vectors', () => {
  test.each(VECTORS)(
    'the signed data and the signature of %s match the vectors',
    async (suite, given, form, proofValue, signed) => {
      const credential: Json = given
      const proof: Json = { ...form, ...PROOF, proofValue }
      const data = (await signedData({ credential, proof, suite, canonize })).toString('hex')
      expect(data).toBe(signed ?? data)
      const proofs = [{ suite, key: keyFromMultibase(KEY)! }]
      const verdictOn = (each: Json) => verifyProofs({ credential: jcs(each), proofs }, canonize)
      expect(await verdictOn({ ...credential, proof })).toMatchObject({ valid: true, problem: '' })
      expect(await verdictOn({ ...credential, name: 'Alumni', proof })).toMatchObject({ valid: false })
    },
  )

  test('a multibase key is decoded and encoded', () => {
    expect(keyToMultibase(keyFromMultibase(KEY)!)).toBe(KEY)
  })

  const key = bs58.decode(KEY.slice(1))
  const startingWith = (...start: number[]): string =>
    `z${bs58.encode(Uint8Array.from([...start, ...key.subarray(2)]))}`
  test.each([
    ['another prefix of multibase', `Z${KEY.slice(1)}`],
    ['no prefix of multibase', KEY.slice(1)],
    ['an X25519 key', startingWith(0xec, 0x01)],
    ['another second byte', startingWith(0xed, 0x02)],
    ['no multicodec', startingWith()],
    ['a byte more', startingWith(0xed, 0x01, 0x00)],
    ['a byte less', `z${bs58.encode(key.subarray(0, 33))}`],
    ['a zero byte before it', `z1${KEY.slice(1)}`],
    ['characters that are not base-58', KEY.replace('V', '0')],
    ['a space after it', `${KEY} `],
    ['nothing', ''],
  ])('%s is not an Ed25519 key', (_, text) => {
    expect(keyFromMultibase(text)).toBeNull()
  })
})

/**
 * RFC 8785 sections 3.2.2, 3.2.3 and appendix B, and the test data of
 * github.com/cyberphone/json-canonicalization, by the author of the RFC.
 */
describe('canonical JSON matches RFC 8785', () => {
  test.each([
    [
      'section 3.2.2',
      String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    ],
    [
      'values',
      String.raw`{"numbers": [1E30, 4.50, 333333333.33333329, 2e-3, 0.000000000000000000000000001], "escaping": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\\\"\/", "literals": [null, true, false]}`,
      String.raw`{"escaping":"€$\u000f\nA'B\"\\\\\\\"/","literals":[null,true,false],"numbers":[1e+30,4.5,333333333.3333333,0.002,1e-27]}`,
    ],
    [
      'structures',
      String.raw`{"1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { }, "111": [ { } ], "A": { }}`,
      String.raw`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}`,
    ],
    [
      'french',
      '{"peach": "This sorting order", "péché": "is wrong according to French", "pêche": "but canonicalization MUST", "sin": "ingnore locale"}',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ingnore locale"}',
    ],
    [
      'weird',
      String.raw`{"\u20ac": "Euro Sign", "1": "One", "\u0080": "Control\u007f", "\ud83d\ude02": "Smiley", "\u00f6": "Latin Small Letter O With Diaeresis", "\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge"}`,
      '{"1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\uFB33":"Hebrew Letter Dalet With Dagesh"}',
    ],
  ])('%s', (_, input, output) => {
    expect(jcs(JSON.parse(input))).toBe(output)
  })

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: %s is %s', (bits, text) => {
    expect(jcs([Buffer.from(bits, 'hex').readDoubleBE()])).toBe(`[${text}]`)
  })
})
