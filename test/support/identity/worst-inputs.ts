import type { Json } from './issuer.ts'

/** Unsigned credentials within all limits that take the most time to canonicalise. */
export function worstInputs(plain: Json): ReadonlyMap<string, Json> {
  const about = (members: Json): Json => ({
    ...plain,
    credentialSubject: { ...plain.credentialSubject, ...members },
  })
  const repeat = (count: number, of: (i: number) => Json): Json[] =>
    Array.from({ length: count }, (_, i) => of(i))
  const nested = (depth: number): Json =>
    depth === 0 ? 'x' : { auditor: nested(depth - 1), skill: nested(0) }
  const tree = (depth: number): Json =>
    depth === 0 ? { auditor: 'x' } : { skill: [tree(depth - 1), tree(depth - 1)] }
  return new Map([
    ['distinct blank nodes', about({ skill: repeat(230, (i) => ({ auditor: `a${i}` })) })],
    ['equal blank nodes', about({ skill: repeat(230, () => ({ auditor: 'a' })) })],
    [
      'typed nodes',
      about({
        skill: repeat(110, (i) => ({ type: 'IdentityCredential', auditScope: `a${i}`, auditor: 'b' })),
      }),
    ],
    [
      'nodes with credentials inside',
      about({
        skill: repeat(60, () => ({
          type: ['VerifiableCredential'],
          issuer: { type: 'IdentityCredential' },
          evidence: { type: 'IdentityCredential' },
        })),
      }),
    ],
    [
      'a binary tree of blank nodes',
      about({ ...tree(3), auditScope: tree(3).skill, auditResult: tree(3).skill }),
    ],
    ['nested blank nodes', about({ skill: nested(6) })],
    [
      'long texts',
      about({ auditor: 'x'.repeat(8_000), auditScope: 'y'.repeat(8_000), auditResult: 'z'.repeat(8_000) }),
    ],
    [
      'many texts in one set',
      about({ skill: repeat(256, (i) => `skill ${i}`), auditScope: repeat(200, (i) => `scope ${i}`) }),
    ],
    ['many languages', about({ skill: repeat(160, (i) => ({ '@value': `skill ${i}`, '@language': 'en' })) })],
  ])
}
