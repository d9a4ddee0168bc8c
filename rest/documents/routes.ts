import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentNode } from 'graphql'
import { DomainError } from '../../src/domain/errors.ts'
import { purposeOf } from '../../schema/policy.ts'
import { ignoreBodies, valueReader } from '../contract/readers.ts'
import { errorResponses } from '../contract/error-responses.ts'
import type { Json } from '../contract/shapes.ts'
import type { Operations } from '../operations.ts'
import {
  addVary,
  conditionalRequest,
  JSON_TYPE,
  notModified,
  sendTagged,
  TABLES_AGE_HEADERS,
  TAG_HEADER,
} from '../plugins/read-headers.ts'
import { SECURITY, walletHeaders } from '../plugins/wallet-auth.ts'
import { responseText } from '../response-text.ts'
import { restSchema } from '../execute.ts'
import { joined, type Parts, tagOf } from '../text-parts.ts'
import { type Endpoint, type Inputs, parameterSpelling } from './endpoints.ts'
import { type Input, inputSchema, isRequired, objectOf } from './json-schema.ts'
import { responseSchema, rootFields } from './responses.ts'

/** What an endpoint does that no directive says. */
export interface SpecialCase {
  readonly body: (data: never, mediaType: string) => unknown
  /** Of the body, or the response with a schema for each media type. */
  readonly schema: Json
  /** Chooses the media type of a public read by the Accept header. Default: JSON. */
  readonly mediaType?: (accept: string | undefined) => string
}

interface RouteOptions {
  readonly operations: Operations
  readonly specialCases: Readonly<Record<string, SpecialCase>>
  readonly endpoints: readonly Endpoint[]
}

/** Registers a route for each operation with the directive `@rest`. */
export function documentRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { ignoring = [], reading = [] } = Object.groupBy(options.endpoints, ({ rest, body }) =>
    rest.method !== 'GET' && body === null ? 'ignoring' : 'reading',
  )
  for (const each of reading) addRoute(app, each, options)
  void app.register(async (scope: FastifyInstance) => {
    // Many clients send `{}`, or an empty body labelled as JSON, where no body is needed.
    ignoreBodies(scope)
    for (const each of ignoring) addRoute(scope, each, options)
  })
}

const EXEMPT = { OVERLOAD: 'unshed', ALL: 'exempt' } as const

function priorityOf({ rest: { exempt }, policy: { login, priority } }: Endpoint) {
  if (login !== undefined) return 'high'
  return exempt == null ? priority : EXEMPT[exempt]
}

type Variables = Record<string, unknown>

function addRoute(app: FastifyInstance, endpoint: Endpoint, options: RouteOptions): void {
  const { operations, specialCases } = options
  const { rest, policy, document, isOperators } = endpoint
  const special = specialCases[endpoint.name]
  const { compiled, write } = special === undefined ? textOf(endpoint) : specialText(special)
  const run = operations.run<object, Variables>(document, { compiled, isOperators })
  const variablesOf = variableReader(endpoint)
  const send = sender(endpoint, special)
  app.route({
    method: rest.method,
    url: rest.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: routeSchema(endpoint, special?.schema ?? responseSchema(endpoint)),
    config: {
      priority: priorityOf(endpoint),
      spellParameter: parameterSpelling({ ...endpoint.path, ...endpoint.query }),
    },
    ...(policy.login === undefined ? {} : { onRequest: operations.authenticate }),
    ...(policy.readsTables ? operations.tables : {}),
    ...(rest.bodyLimit == null ? {} : { bodyLimit: rest.bodyLimit }),
    handler: async (request, reply) => {
      const data = await run(request, variablesOf(request))
      return send(request, reply, (mediaType) => write(data, mediaType))
    },
  })
}

/** Clients may keep the response, and ask whether it is still current. */
function hasEntityTag({ rest, policy: { readsTables } }: Endpoint): boolean {
  return rest.method === 'GET' && rest.status === 200 && rest.store && readsTables
}

/** What runs, and how the body of the response is written. */
interface ResponseText {
  readonly compiled?: DocumentNode
  readonly write: (data: object, mediaType: string) => Parts
}

function textOf(endpoint: Endpoint): ResponseText {
  const { document, writeBody } = responseText(restSchema, endpoint.document, rootFields(endpoint))
  return { compiled: document, write: writeBody }
}

function specialText(special: SpecialCase): ResponseText {
  const body = special.body as (data: object, mediaType: string) => unknown
  return { write: (data, mediaType) => [JSON.stringify(body(data, mediaType))] }
}

/** Sends the response, or 304 to a client that has it. */
function sender(endpoint: Endpoint, { mediaType }: Partial<SpecialCase> = {}) {
  const { status, store } = endpoint.rest
  const isTagged = hasEntityTag(endpoint)
  return (request: FastifyRequest, reply: FastifyReply, write: (mediaType: string) => Parts) => {
    const type = mediaType?.(request.headers.accept) ?? JSON_TYPE
    const parts = write(type)
    if (mediaType !== undefined) addVary(reply, 'accept')
    // Bytes, because Node takes longer for texts, and Fastify adds a charset to them.
    const body = (): Buffer => Buffer.from(joined(parts))
    if (isTagged) {
      reply.header('cache-control', 'no-cache')
      return sendTagged(request, reply, { type, body, etag: tagOf(type, parts) })
    }
    if (!store) reply.header('cache-control', 'no-store')
    return reply.code(status).type(type).send(body())
  }
}

/** Reads the variables of an operation from a request. Throws FIELD_REQUIRED. */
function variableReader(endpoint: Endpoint): (request: FastifyRequest) => Variables {
  const { path, query, body, defaults, toVariables } = endpoint
  const readPath = Object.entries(path).map(
    ([name, input]) => [name, valueReader(inputSchema(input))] as const,
  )
  const hasQuery = Object.keys(query).length > 0
  const required = Object.entries(body ?? {}).flatMap(([name, input]) => (isRequired(input) ? name : []))
  return ({ params, query: given, body: sent }) => {
    const values: Variables = { ...defaults }
    for (const [name, read] of readPath) values[name] = read(name, (params as Record<string, string>)[name]!)
    if (hasQuery) Object.assign(values, given)
    if (body === null) return values
    const missing = required.find((name) => !Object.hasOwn(sent as Variables, name))
    if (missing !== undefined) throw new DomainError('FIELD_REQUIRED', { parameter: missing })
    return toVariables(Object.assign(values, sent))
  }
}

function bodySchema(body: Inputs, { isOneOf }: Endpoint): Json {
  if (!isOneOf) return objectOf(body)
  const variant = ([name, input]: [string, Input]): Json => ({
    ...objectOf({ [name]: input }),
    required: [name],
  })
  return { description: 'Exactly one of the members.', oneOf: Object.entries(body).map(variant) }
}

function routeSchema(endpoint: Endpoint, response: Json): object {
  const { rest, policy, path, query, body, summary, description, name } = endpoint
  const { login, readsTables, errors } = policy
  const isTagged = hasEntityTag(endpoint)
  const headers = isTagged ? { ...TAG_HEADER, ...TABLES_AGE_HEADERS } : TABLES_AGE_HEADERS
  return {
    operationId: `${name[0]!.toLowerCase()}${name.slice(1)}`,
    tags: [rest.tag],
    summary,
    description: description === '' ? purposeOf(rootFields(endpoint)[0]!.field) : description,
    ...(Object.keys(path).length === 0 ? {} : { params: objectOf(path) }),
    ...(rest.anyQuery ? {} : { querystring: objectOf(query) }),
    ...(body === null ? {} : { body: bodySchema(body, endpoint) }),
    ...(login === undefined ? {} : { security: SECURITY[login] }),
    ...(login === 'wallet' ? walletHeaders : {}),
    ...(isTagged ? conditionalRequest : {}),
    response: {
      [rest.status]: readsTables ? { ...response, headers } : response,
      ...(isTagged ? notModified(headers) : {}),
      ...errorResponses({
        codes: errors,
        hasBody: body !== null,
        needsWallet: login !== undefined,
        isCounted: rest.exempt !== 'ALL',
      }),
    },
  }
}
