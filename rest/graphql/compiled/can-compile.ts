import { BREAK, type DocumentNode, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { schema } from '../../../schema/index.ts'

/** Characters. Longer documents take more than 10 ms to compile. */
const MAX_CHARACTERS = 4_000

/**
 * Fields of Query that only read tables. After an error they are read again by graphql-js, so they
 * must not call the ledger, count against a limit or use up a signature.
 */
export const COMPILED_FIELDS: readonly string[] = [
  'agent',
  'agentByOwner',
  'agentHistory',
  'agentHistoryPage',
  'agentSuggestions',
  'agents',
  'agentsPage',
  'credentials',
  'credentialsPage',
  'did',
  'registryConfig',
  'registryEvents',
  'registryStats',
  'stake',
  'stakes',
  'stakesPage',
]

/**
 * Whether a valid document is one query of such fields, which the compiled form answers like
 * graphql-js. Compiled conditions lose fields, so no directives are allowed. Compiled objects lose
 * a field with the alias `__proto__`.
 */
export function canCompile(query: string, document: DocumentNode): boolean {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
  if (query.length > MAX_CHARACTERS || operations.length !== 1 || operations[0]?.operation !== 'query')
    return false
  let canBe = true
  const refuse = (): typeof BREAK => {
    canBe = false
    return BREAK
  }
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      Directive: refuse,
      Field: ({ alias, name: { value: name } }) => {
        if (alias?.value === '__proto__') return refuse()
        const isRoot = types.getParentType() === schema.getQueryType()
        if (isRoot) return name === '__typename' || COMPILED_FIELDS.includes(name) ? undefined : refuse()
        const callsLedger = types.getFieldDef()?.extensions.errors?.includes('LEDGER_UNAVAILABLE')
        return callsLedger === true ? refuse() : undefined
      },
    }),
  )
  return canBe
}
