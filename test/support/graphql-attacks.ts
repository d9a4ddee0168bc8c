import { LIMITS } from '../../schema/limits.ts'

/** A request that would cost too much, and the text of the limit that refuses it. */
export interface Attack {
  readonly name: string
  readonly body: string
  readonly status: 200 | 400 | 413
  readonly refusal: string
}

const repeat = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')
const operation = (query: string, variables: unknown = {}, more: object = {}): string =>
  JSON.stringify({ query, variables, ...more })
const nested = (levels: number): string => 'agent { stake { '.repeat(levels) + 'pda' + ' } }'.repeat(levels)
/** Each is used twice in the one before: too many fields to count one by one. */
const doubling = repeat(
  60,
  (i) => `fragment F${i} on Agent { ${i === 59 ? 'pda' : `...F${i + 1} ...F${i + 1}`} }`,
)
/** The same fragments, not used by the operation. */
const unused = doubling.replaceAll('on Agent', 'on Health')
const members = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]))
const TOO_LONG = `The query has more than ${LIMITS.characters} characters`
const TOO_MANY_FIELDS = `The query has more than ${LIMITS.fields} fields, fragments included`
const TOO_MANY_REPEATED = `The query repeats field names or fragments too often: more than ${LIMITS.repeatedFields} pairs`
const TOO_MANY_VALUES = `The request has more than ${LIMITS.values} values`
const TOO_MANY_TOKENS = `Document contains more than ${LIMITS.tokens} tokens`

export const ATTACKS: readonly Attack[] = [
  {
    name: 'deep',
    body: operation(`{ stakes { nodes { ${nested(40)} } } }`),
    status: 200,
    refusal: `The query is nested deeper than ${LIMITS.depth} levels`,
  },
  {
    name: 'deep in a fragment',
    body: operation(`{ agents { nodes { ...A } } } fragment A on Agent { ${nested(4)} }`),
    status: 200,
    refusal: `The query is nested deeper than ${LIMITS.depth} levels`,
  },
  {
    name: 'wide',
    body: operation(`{ agents { nodes { ${repeat(400, (i) => `a${i}: pda`)} } } }`),
    status: 200,
    refusal: TOO_MANY_TOKENS,
  },
  {
    name: 'aliased root fields',
    body: operation(`{ ${repeat(50, (i) => `a${i}: agents { totalCount }`)} }`),
    status: 200,
    refusal: `The query has more than ${LIMITS.rootFields} root fields`,
  },
  {
    name: 'a circle of fragments',
    body: operation(
      '{ agents { nodes { ...A } } } fragment A on Agent { ...B } fragment B on Agent { ...A }',
    ),
    status: 200,
    refusal: 'Cannot spread fragment "A" within itself',
  },
  {
    name: 'doubling fragments',
    body: operation(`{ agents { nodes { ...F0 } } } ${doubling}`),
    status: 200,
    refusal: TOO_MANY_FIELDS,
  },
  {
    name: 'unused fragments',
    body: operation(`{ health { status } } ${unused}`),
    status: 200,
    refusal: TOO_MANY_FIELDS,
  },
  {
    name: 'conflicting fields',
    body: operation(`{ agents { nodes { ${repeat(95, (i) => `history(first: ${i}) { totalCount }`)} } } }`),
    status: 200,
    refusal: TOO_MANY_REPEATED,
  },
  {
    name: 'repeated fields',
    body: operation(`{ health { ${repeat(480, () => 'status')} } }`),
    status: 200,
    refusal: TOO_MANY_REPEATED,
  },
  {
    name: 'repeated nested fields',
    body: operation(
      `{ agents { ${repeat(5, () => `nodes { ${repeat(5, () => `stake { ${repeat(4, () => 'agent { pda }')} }`)} }`)} } }`,
    ),
    status: 200,
    refusal: TOO_MANY_REPEATED,
  },
  {
    name: 'many fragments in one place',
    body: operation(
      `{ agents { nodes { ${repeat(90, (i) => `...F${i}`)} } } } ${repeat(90, (i) => `fragment F${i} on Agent { pda }`)}`,
    ),
    status: 200,
    refusal: TOO_MANY_REPEATED,
  },
  {
    name: 'a fragment in many places',
    body: operation(
      `{ agents { nodes { ${repeat(30, (i) => `s${i}: stake { agent { ...F } }`)} } } } fragment F on Agent { ${repeat(20, (i) => `x${i}: stake { pda }`)} }`,
    ),
    status: 200,
    refusal: TOO_MANY_FIELDS,
  },
  {
    name: 'fragments in many operations',
    body: operation(
      `${repeat(40, (i) => `query Q${i} { ...R }`)} fragment R on Query { agents { nodes { ${repeat(40, (i) => `a${i}: pda`)} } } }`,
      {},
      { operationName: 'Q0' },
    ),
    status: 200,
    refusal: `The query has more than ${LIMITS.documentFields} fields in all operations and fragments together`,
  },
  {
    name: 'unknown fields',
    body: operation(`{ health { ${repeat(480, (i) => `statu${i}`)} } }`),
    status: 200,
    refusal: 'Cannot query field "statu0" on type "Health".',
  },
  {
    name: 'a batch',
    body: `[${repeat(100, () => operation('{ health { status } }')).replaceAll(' {"query"', ',{"query"')}]`,
    status: 400,
    refusal: 'The body must be one JSON object with a query',
  },
  {
    name: 'a huge literal',
    body: operation(`{ agents(filter: { name: "${'x'.repeat(100_000)}" }) { totalCount } }`),
    status: 400,
    refusal: TOO_LONG,
  },
  {
    name: 'a literal of many parts',
    body: operation(`{ feeEstimate(accountKeys: [${'"x",'.repeat(3_000)}]) { low } }`),
    status: 200,
    refusal: TOO_MANY_TOKENS,
  },
  {
    name: 'huge variables',
    body: operation('query ($f: AgentFilter) { agents(filter: $f) { totalCount } }', {
      f: { name: 'x'.repeat(300_000) },
    }),
    status: 413,
    refusal: 'The body must not be larger than 262144 bytes',
  },
  {
    name: 'variables of many parts',
    body: operation('query ($f: AgentFilter) { agents(filter: $f) { totalCount } }', {
      f: members(20_000),
    }),
    status: 400,
    refusal: TOO_MANY_VALUES,
  },
  {
    name: 'deep variables',
    body: `{"query":"query ($f: AgentFilter) { agents(filter: $f) { totalCount } }","variables":{"f":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    status: 400,
    refusal: TOO_MANY_VALUES,
  },
  {
    name: 'extensions of many parts',
    body: operation('{ health { status } }', {}, { extensions: members(20_000) }),
    status: 400,
    refusal: TOO_MANY_VALUES,
  },
  {
    name: 'unknown variables of many parts',
    body: operation('query ($f: AgentFilter) { agents(filter: $f) { totalCount } }', {
      f: members(LIMITS.values - 10),
    }),
    status: 200,
    refusal: 'not to include unknown field',
  },
  {
    name: 'a huge operation name',
    body: operation('query A { health { status } }', {}, { operationName: 'x'.repeat(200_000) }),
    status: 400,
    refusal: 'Could not determine what operation to execute.',
  },
  {
    name: 'many directives',
    body: operation(`{ health { status ${'@skip(if: false) '.repeat(300)} } }`),
    status: 200,
    refusal: TOO_MANY_TOKENS,
  },
  {
    name: 'repeated directives',
    body: operation(`{ health { status ${'@include(if: true) '.repeat(100)} } }`),
    status: 200,
    refusal: 'The directive "@include" can only be used once at this location.',
  },
  {
    name: 'deep introspection',
    body: operation(`{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`),
    status: 200,
    refusal: 'Maximum introspection depth exceeded',
  },
  {
    name: 'aliased schemas',
    body: operation(`{ ${repeat(10, (i) => `a${i}: __schema { types { fields { name } } }`)} }`),
    status: 200,
    refusal: 'Introspection must not use aliases',
  },
  {
    name: 'aliased descriptions',
    body: operation(`{ __schema { types { fields { ${repeat(200, (i) => `a${i}: description`)} } } } }`),
    status: 200,
    refusal: 'Introspection must not use aliases',
  },
  {
    name: 'nested pages',
    body: operation(
      `{ agents(first: 200) { nodes { ${repeat(20, (i) => `h${i}: history(first: 200) { nodes { oldValue newValue delta } }`)} } } }`,
    ),
    status: 200,
    refusal: `The query selects more than ${LIMITS.nestedValues} values in nested lists: use lower limits or fewer fields`,
  },
  {
    name: 'many operations',
    body: operation(repeat(200, (i) => `query Q${i} { health { status } }`)),
    status: 200,
    refusal: TOO_MANY_TOKENS,
  },
]
