import * as fc from '../property.ts'

/**
 * One request of the service in plain numbers. The runner maps them to its wallets and
 * transactions.
 */
export interface RandomCase {
  readonly operation: 'register' | 'sponsored' | 'flagged'
  readonly useGraphQL: boolean
  readonly wallet: number
  /** The template of the client's instructions. */
  readonly templates: readonly RandomTemplate[]
  readonly level: 'low' | 'medium' | 'high'
  readonly changes: readonly RandomChange[]
  /** What the wallet does between prepare and submit, without the service. */
  readonly between: 'nothing' | 'breaks it' | 'expires'
  readonly signing: RandomSigning
  readonly submits: number
  readonly wrongEndpoint: boolean
}

export interface RandomTemplate {
  readonly kind: number
  readonly text: string
  readonly amount: number
}

/** A change to the request, with its kind and position. */
export interface RandomChange {
  readonly kind: (typeof CHANGES)[number]
  readonly at: number
  readonly place: number
  readonly value: number
  readonly bytes: Uint8Array
}

const CHANGES = [
  'replace account',
  'flip signer',
  'flip writable',
  'drop account',
  'add account',
  'swap accounts',
  'replace program',
  'set byte',
  'cut data',
  'add data',
  'fee payer into data',
  'add hostile',
  'repeat instruction',
  'drop instruction',
  'reverse instructions',
  'signers',
] as const

/** How a prepared transaction is changed before the submit. */
export type RandomSigning =
  | { readonly kind: 'as prepared' }
  | { readonly kind: 'cheaper'; readonly limit: number; readonly price: number }
  | { readonly kind: 'assertions'; readonly count: number; readonly at: number; readonly names: number }
  /** The program at Lighthouse's address attacks the fee payer. In lamports. */
  | { readonly kind: 'treacherous assertion'; readonly lamports: number }
  | { readonly kind: 'tampered'; readonly which: number }
  | { readonly kind: 'lookup table'; readonly which: number }
  /** Bytes of the message are changed before it is signed. */
  | { readonly kind: 'message bytes'; readonly edits: readonly ByteEdit[] }
  | { readonly kind: 'transaction bytes'; readonly edits: readonly ByteEdit[] }
  | { readonly kind: 'another transaction' }

export interface ByteEdit {
  readonly kind: 'set' | 'cut' | 'insert' | 'flip'
  readonly at: number
  readonly byte: number
  readonly length: number
}

/** Changes of a transaction of about `size` bytes. */
export const byteEdits = (size: number): fc.Arbitrary<ByteEdit[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom<ByteEdit['kind'][]>('set', 'set', 'flip', 'cut', 'insert'),
      at: fc.nat(size),
      byte: fc.nat(255),
      length: fc.integer({ min: 1, max: 80 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
const edits = byteEdits(1_300)

const signing: fc.Arbitrary<RandomSigning> = fc.oneof(
  weighted(50, { kind: fc.constant('as prepared' as const) }),
  weighted(6, { kind: fc.constant('cheaper' as const), limit: fc.nat(100), price: fc.nat(100) }),
  weighted(8, {
    kind: fc.constant('assertions' as const),
    count: fc.integer({ min: 1, max: 9 }),
    at: fc.nat(9),
    names: fc.nat(7),
  }),
  weighted(4, {
    kind: fc.constant('treacherous assertion' as const),
    lamports: fc.oneof(fc.nat(20_000), fc.nat(20_000_000)),
  }),
  weighted(10, { kind: fc.constant('tampered' as const), which: fc.nat(10_000) }),
  weighted(3, { kind: fc.constant('lookup table' as const), which: fc.nat(255) }),
  weighted(10, { kind: fc.constant('message bytes' as const), edits }),
  weighted(6, { kind: fc.constant('transaction bytes' as const), edits }),
  weighted(3, { kind: fc.constant('another transaction' as const) }),
)

function weighted<Members>(
  weight: number,
  members: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> },
) {
  return { weight, arbitrary: fc.record(members) }
}

const change: fc.Arbitrary<RandomChange> = fc.record({
  kind: fc.constantFrom(...CHANGES),
  at: fc.nat(3),
  place: fc.nat(300),
  value: fc.nat(255),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
})

const template: fc.Arbitrary<RandomTemplate> = fc.record({
  kind: fc.nat(99),
  text: fc.string({ minLength: 1, maxLength: 32 }),
  amount: fc.oneof(fc.nat(10), fc.nat(50_000_000)),
})

export const randomCase: fc.Arbitrary<RandomCase> = fc.record({
  operation: fc.constantFrom('register', 'sponsored', 'flagged'),
  useGraphQL: fc.rarely(6, true, false),
  wallet: fc.nat(10_000),
  templates: fc.oneof(
    { weight: 3, arbitrary: fc.tuple(template) },
    { weight: 1, arbitrary: fc.array(template, { minLength: 1, maxLength: 5 }) },
  ),
  level: fc.constantFrom('low', 'medium', 'high'),
  changes: fc.oneof(
    { weight: 7, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
  ),
  between: fc.oneof(
    { weight: 57, arbitrary: fc.constant('nothing' as const) },
    { weight: 2, arbitrary: fc.constant('breaks it' as const) },
    { weight: 1, arbitrary: fc.constant('expires' as const) },
  ),
  signing,
  submits: fc.rarely(10, 3, 1),
  wrongEndpoint: fc.rarely(20, true, false),
})

export function editBytes(bytes: Buffer, edits: readonly ByteEdit[]): Buffer {
  let edited = Buffer.from(bytes)
  for (const { kind, at, byte, length } of edits) {
    const i = at % Math.max(edited.length, 1)
    if (kind === 'set') edited[i] = byte
    else if (kind === 'flip') edited[i] = (edited[i] ?? 0) ^ (1 << (byte % 8))
    else if (kind === 'cut') edited = Buffer.concat([edited.subarray(0, i), edited.subarray(i + length)])
    else edited = Buffer.concat([edited.subarray(0, i), Buffer.alloc(length, byte), edited.subarray(i)])
  }
  return edited
}
