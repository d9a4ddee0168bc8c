import * as fc from '../support/property.ts'
import { expect, test } from 'vitest'
import {
  createTestIssuer,
  type Json,
  loaderOf,
  MODELS,
  SUITES,
  unsigned,
} from '../support/identity/issuer.ts'
import { verifiedByDigitalBazaar } from '../support/identity/oracle.ts'
import { verifierTrusting } from '../support/identity/verifying.ts'

/** Over all six combinations of data model and suite. Some mutations change nothing. */
const CHANGED_IN_ALL = 20_000
const MUTATIONS_EACH = 5_000
const SEED = fc.seedOf(20_261_121)
const issuer = createTestIssuer('auditor')
const loader = loaderOf(issuer.documents)
const verify = verifierTrusting(issuer)

/** Values that a mutation can insert, both plausible and forbidden ones. */
const FRAGMENTS: Json[] = [
  true,
  0,
  -1,
  1.5,
  '',
  'x',
  'admin',
  '@id',
  '@type',
  '2026-02-30T00:00:00Z',
  '2030-01-01T00:00:00Z',
  '2020-01-01T00:00:00Z',
  'https://www.w3.org/2018/credentials/v1',
  'https://www.w3.org/ns/credentials/v2',
  'https://w3id.org/security/data-integrity/v2',
  'https://w3id.org/security/suites/ed25519-2020/v1',
  'https://agent-registry.example/contexts/agent-credentials/v1',
  'VerifiableCredential',
  'IdentityCredential',
  'VerifiablePresentation',
  'Ed25519Signature2020',
  'DataIntegrityProof',
  issuer.did,
  issuer.vm,
  'did:sol:11111111111111111111111111111111',
  [],
  {},
  ['x'],
  { id: 'urn:x' },
  { '@value': 'x' },
  { role: '@index' },
  { '@vocab': 'https://a.example/#' },
  { '@protected': false },
]
const KEYS = [
  'id',
  'type',
  'role',
  'name',
  'description',
  'issuer',
  'auditor',
  'auditResult',
  'skill',
  'validFrom',
  'validUntil',
  'issuanceDate',
  'expirationDate',
  'proof',
  'evidence',
  'termsOfUse',
  'credentialStatus',
  'credentialSubject',
  'created',
  'expires',
  'proofPurpose',
  'proofValue',
  'previousProof',
  'domain',
  'challenge',
  'cryptosuite',
  '@context',
  '@id',
  '@type',
  '@index',
  '@graph',
  '@included',
  '@reverse',
]

interface Mutation {
  readonly at: number
  readonly how:
    | 'replace'
    | 'delete'
    | 'wrap'
    | 'unwrap'
    | 'add'
    | 'rename'
    | 'duplicate'
    | 'reverse'
    | 'swap'
    | 'character'
  readonly fragment: number
  readonly key: number
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(1_000),
  how: fc.constantFrom(
    'replace',
    'delete',
    'wrap',
    'unwrap',
    'add',
    'rename',
    'duplicate',
    'reverse',
    'swap',
    'character',
  ),
  fragment: fc.nat(FRAGMENTS.length - 1),
  key: fc.nat(KEYS.length - 1),
})

interface Place {
  readonly holder: Json
  readonly key: string | number
}

function placesIn(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const places: Place[] = []
  for (const key of keys) places.push({ holder: value, key }, ...placesIn(value[key]))
  return places
}

function mutate(credential: Json, { at, how, fragment, key: newKey }: Mutation): void {
  const places = placesIn(credential)
  if (places.length === 0) return
  const { holder, key } = places[at % places.length]!
  const value = holder[key]
  const name = KEYS[newKey]!
  if (how === 'replace') holder[key] = structuredClone(FRAGMENTS[fragment])
  else if (how === 'delete' && Array.isArray(holder)) holder.splice(Number(key), 1)
  else if (how === 'delete') delete holder[key]
  else if (how === 'wrap') holder[key] = [value]
  else if (how === 'unwrap' && Array.isArray(value)) holder[key] = value[0] ?? 'x'
  else if (how === 'reverse' && Array.isArray(value)) value.reverse()
  else if (how === 'duplicate' && Array.isArray(value) && value.length > 0)
    value.push(structuredClone(value[at % value.length]))
  else if (how === 'add' && Array.isArray(value)) value.push(structuredClone(FRAGMENTS[fragment]))
  else if (how === 'add' && typeof value === 'object') value[name] = structuredClone(FRAGMENTS[fragment])
  else if (how === 'rename' && !Array.isArray(holder)) {
    delete holder[key]
    holder[name] = value
  } else if (how === 'swap') {
    const other = places[(at + fragment) % places.length]!
    holder[key] = structuredClone(other.holder[other.key])
  } else if (how === 'character' && typeof value === 'string' && value !== '') {
    const i = at % value.length
    holder[key] = `${value.slice(0, i)}${String.fromCharCode(value.charCodeAt(i) ^ 1)}${value.slice(i + 1)}`
  }
}

const combinations = MODELS.flatMap((model) => SUITES.map((suite) => ({ model, suite })))

test.each(combinations)(
  `the Digital Bazaar stack accepts every one of ${MUTATIONS_EACH} mutated credentials that the service accepts: VC $model, $suite`,
  async ({ model, suite }) => {
    const signed = await issuer.sign(unsigned(model, suite, issuer.did), suite)
    const original = JSON.stringify(signed)
    const seen = { tried: 0, unchanged: 0, accepted: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const changed = structuredClone(signed)
        for (const each of mutations) mutate(changed, each)
        seen.tried++
        if (JSON.stringify(changed) === original) seen.unchanged++
        const { structurallyValid, proofVerified } = await verify(changed)
        if (!structurallyValid || !proofVerified) return
        seen.accepted++
        expect(await verifiedByDigitalBazaar(changed, loader)).toBe(true)
      }),
      { numRuns: MUTATIONS_EACH, seed: SEED },
    )
    expect(seen.tried).toBe(MUTATIONS_EACH)
    expect(seen.tried - seen.unchanged).toBeGreaterThan(CHANGED_IN_ALL / combinations.length)
    // Some changes keep a credential valid, such as another order of contexts.
    expect(seen.accepted).toBeGreaterThan(seen.unchanged)
    process.stdout.write(`VC ${model} ${suite}, PROPERTY_SEED=${SEED}: ${JSON.stringify(seen)}\n`)
  },
)
