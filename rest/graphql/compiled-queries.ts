import { hash } from 'node:crypto'
import {
  BREAK,
  type DocumentNode,
  type OperationDefinitionNode,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  Kind,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import { type GraphQLContext, createGraphQLContext } from '../../schema/context.ts'
import { fragmentsOf } from '../../schema/document-size.ts'
import { schema } from '../../schema/index.ts'
import { schemaToCompile } from '../../schema/variants.ts'
import { rootFields } from '../documents/responses.ts'
import { addWholeFields, type ResponseText, responseText } from '../response-text.ts'
import { operationUnits, documentUnits } from '../../schema/operation-cost.ts'
import type { FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import type { Metrics } from '../../src/platform/metrics/metrics.ts'
import type { Services } from '../../src/compose/services.ts'
import type { OperationRequest } from './guards.ts'
import type { OperationParams, PersistedDocuments } from './persisted-documents.ts'

const schemaOfQueries = addWholeFields(schemaToCompile())

/** Null for what responses of documents cannot be: then the whole result is written at once. */
function textOf(definition: OperationDefinitionNode, document: DocumentNode): ResponseText | null {
  try {
    return responseText(
      schemaOfQueries,
      document,
      rootFields({ definition, fragments: { get: fragmentsOf(document) } }),
    )
  } catch {
    return null
  }
}

type Variables = Readonly<Record<string, unknown>>

interface CompiledQuery {
  /** The name of its only operation. */
  readonly operationName: string | undefined
  readonly units: (variables: Variables) => number
  /**
   * The text of the response. Null if there is an error: graphql-js then executes the query,
   * because its errors are the ones that clients expect.
   */
  readonly run: (context: GraphQLContext, variables: Variables) => Promise<string | null>
}

/** Null for a document that cannot be compiled. It must be valid and have one operation. */
export function compileQueryOf(document: DocumentNode): CompiledQuery | null {
  const operation = getOperationAST(document)!
  const text = textOf(operation, document)
  const compiled = compileQuery(schemaOfQueries, text?.document ?? document, undefined, {
    // GraphQL's own scalars are valid inside the service.
    disableLeafSerialization: true,
    // An error leads to graphql-js, which creates another one.
    disablingCapturingStackErrors: true,
  })
  if (!isCompiledQuery(compiled)) return null
  const definitions = operation.variableDefinitions ?? []
  const unitsOf = (variables: Variables): number =>
    operationUnits(operation, fragmentsOf(document), variables)
  const units = unitsOf({})
  const objects = definitions.flatMap(({ type, variable }) =>
    isInputObjectType(getNullableType(typeFromAST(schemaOfQueries, type))) ? variable.name.value : [],
  )
  return {
    operationName: operation.name?.value,
    units: definitions.length === 0 ? () => units : unitsOf,
    run: async (context, variables) => {
      // The compiled form takes an empty list for an object without members.
      if (objects.some((name) => Array.isArray(variables[name]))) return null
      const result = await compiled.query(undefined, context, variables)
      if (result.errors !== undefined) return null
      return text === null ? JSON.stringify(result) : `{"data":${text.write(result.data!)}}`
    },
  }
}

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

/** Compiled documents of a process. Each takes about 100 KB. */
const MAX_COMPILED = 100
/** A document is compiled at this use. */
const COMPILE_AT = 3
/** Queries between two compilations. A compilation takes about as long as 10 short queries. */
const COMPILE_EVERY = 10
/** Other documents whose uses are counted, the last used ones. */
const MAX_COUNTED = 2_000
/** Uses after which the counts are halved, so that documents of the past lose their advantage. */
const HALVE_EVERY = 40_000

interface Entry extends CompiledQuery {
  uses: number
}

/**
 * The queries that clients send most often, compiled. A new one takes the place of another only if
 * it is used more often, so documents that are used once cannot push out the others.
 */
export class CompiledQueries {
  readonly #entries = new Map<string, Entry>()
  /** Uses of other documents, by the hash of their text. */
  readonly #others = new LRUCache<string, number>({ max: MAX_COUNTED })
  readonly #canCompile = new WeakMap<DocumentNode, boolean>()
  #sinceCompiled = COMPILE_EVERY
  #uses = 0

  find(query: string): CompiledQuery | undefined {
    const entry = this.#entries.get(query)
    if (entry !== undefined) {
      entry.uses += 1
      this.#count()
    }
    return entry
  }

  /** Counts a use of a valid document that is not compiled. Compiles it if it is used often. */
  offer(query: string, document: DocumentNode): void {
    this.#count()
    const key = hash('sha256', query)
    const uses = (this.#others.get(key) ?? 0) + 1
    this.#others.set(key, uses)
    if (uses < COMPILE_AT || this.#sinceCompiled < COMPILE_EVERY || this.#entries.has(query)) return
    const rarest = this.#entries.size < MAX_COMPILED ? undefined : this.#rarest()
    if (rarest !== undefined && rarest.uses >= uses) return
    const isAllowed = this.#canCompile.get(document) ?? canCompile(query, document)
    this.#canCompile.set(document, isAllowed)
    if (!isAllowed) return
    const compiled = compileQueryOf(document)
    this.#sinceCompiled = 0
    if (compiled === null) return
    if (rarest !== undefined) this.#entries.delete(rarest.query)
    this.#entries.set(query, { ...compiled, uses })
  }

  #count(): void {
    this.#sinceCompiled += 1
    this.#uses += 1
    if (this.#uses % HALVE_EVERY === 0) for (const entry of this.#entries.values()) entry.uses /= 2
  }

  #rarest(): { query: string; uses: number } {
    let rarest = { query: '', uses: Infinity }
    for (const [query, { uses }] of this.#entries) if (uses < rarest.uses) rarest = { query, uses }
    return rarest
  }
}

/** Accept headers that are remembered, the last used ones. */
const MAX_ACCEPT_HEADERS = 50
/** Without the header, a response has the media type as for this one. */
const ANY_TYPE = '*/*'
/** A query that fails is executed and charged twice, which its client must be able to pay. */
const MAX_UNITS = 100
const JSON_TYPES = /^application\/(graphql-response\+)?json;/
const MEMBERS = new Set(['query', 'variables', 'operationName', 'extensions'])

interface Params extends OperationParams {
  readonly variables?: Readonly<Record<string, unknown>> | null
}

/**
 * Answers compiled queries without Yoga, whose Request and Response take three times as long as a
 * small query. What is unusual or has an error is left to Yoga, which charges and executes it
 * again.
 */
export function createShortPath(dependencies: {
  readonly services: Services
  readonly metrics: Metrics
  readonly documents: PersistedDocuments
  readonly queries: CompiledQueries
}) {
  const { services, metrics, documents, queries } = dependencies
  const answered = new Counter({
    name: 'gateway_graphql_compiled_total',
    help: 'Requests to /graphql that a compiled query answered',
    registers: [metrics],
  })
  const mediaTypes = new LRUCache<string, string>({ max: MAX_ACCEPT_HEADERS })
  return {
    /** Null if Yoga must answer. */
    answer: async (request: FastifyRequest, context: OperationRequest) => {
      const mediaType = mediaTypes.get(request.headers.accept ?? ANY_TYPE)
      const params = mediaType === undefined ? null : readParams(request, documents)
      const query = params?.query === undefined ? undefined : queries.find(params.query)
      if (mediaType === undefined || !params?.query || query === undefined) return null
      const { operationName = null, variables } = params
      if (operationName !== null && operationName !== query.operationName) return null
      const units = documentUnits(params.query) + query.units(variables ?? {})
      if (units > MAX_UNITS) return null
      try {
        context.charge(units, 1)
      } catch {
        return null
      }
      const body = await query.run(createGraphQLContext(services, context), variables ?? {})
      if (body === null) {
        context.charge(1, 0)
        return null
      }
      documents.store(params)
      answered.inc()
      return { body, mediaType }
    },
    /** Remembers the media type that Yoga chose for the Accept header of a request. */
    learn: ({ headers: { accept } }: FastifyRequest, { status, headers }: Response): void => {
      const mediaType = headers.get('content-type')
      if (status !== 200 || mediaType === null || !JSON_TYPES.test(mediaType)) return
      mediaTypes.set(accept ?? ANY_TYPE, mediaType)
    },
  }
}

/** Null for what Yoga refuses, or could read in another way. */
function readParams({ method, headers, body }: FastifyRequest, documents: PersistedDocuments): Params | null {
  if (method !== 'POST' || headers['content-type']?.startsWith('application/json') !== true) return null
  if (!Object.keys(body as object).every((name) => MEMBERS.has(name))) return null
  try {
    const params = documents.complete(body as Params)
    return isObject(params.variables) && isObject(params.extensions) ? params : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
