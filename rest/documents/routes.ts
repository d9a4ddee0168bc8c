import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { purposeOf } from '../../schema/policy.ts'
import { errorResponses } from '../contract/error-responses.ts'
import { valueReader } from '../contract/query.ts'
import type { Json } from '../contract/shapes.ts'
import type { Operations } from '../operations.ts'
import { JSON_TYPE } from '../plugins/entity-tags.ts'
import { bodyWriter, responseText } from '../response-text.ts'
import { restSchema } from '../execute.ts'
import type { RestApp } from '../rest-app.ts'
import type { Parts } from '../text-parts.ts'
import { type Endpoint, type Inputs, parameterSpelling } from './endpoints.ts'
import { type Input, inputSchema, isRequired, objectOf } from './json-schema.ts'
import { responseSchema, rootFields } from './responses.ts'
import { ageHeaders, conditionalRequest, notModified, SECURITY, walletHeaders } from './request-parts.ts'

/** What an endpoint does that no directive says. */
export interface SpecialCase {
  readonly body: (data: never, mediaType?: string) => unknown
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
export function documentRoutes(app: RestApp, options: RouteOptions): void {
  const { ignoring = [], reading = [] } = Object.groupBy(options.endpoints, ({ rest, body }) =>
    rest.method !== 'GET' && body === null ? 'ignoring' : 'reading',
  )
  for (const each of reading) addRoute(app, each, options)
  void app.register(async (scope: RestApp) => {
    ignoreBodies(scope)
    for (const each of ignoring) addRoute(scope, each, options)
  })
}

/** Many clients send `{}`, or an empty body labelled as JSON, where no body is needed. */
function ignoreBodies(app: RestApp): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null))
    payload.on('error', done)
  })
}

const EXEMPT = { OVERLOAD: 'unshed', ALL: 'exempt' } as const

function addRoute(app: RestApp, endpoint: Endpoint, { operations, specialCases }: RouteOptions): void {
  const { rest, policy, document, name, isOperators } = endpoint
  const { login, priority, readsTables } = policy
  const special = specialCases[name]
  const send = hasEntityTag(endpoint)
    ? operations.read(document, { ...textOf(endpoint, special), chargeAll: isOperators })
    : sendResult(
        operations.run(document, { chargeAll: isOperators }),
        special === undefined ? bodyWriter(rootFields(endpoint)) : specialWriter(special),
        rest,
      )
  const variablesOf = variableReader(endpoint)
  app.route({
    method: rest.method,
    url: rest.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: routeSchema(endpoint, special?.schema ?? responseSchema(endpoint)),
    config: {
      ...(login === undefined
        ? { priority: rest.exempt == null ? priority : EXEMPT[rest.exempt] }
        : operations.walletAuth.config),
      spellParameter: parameterSpelling({ ...endpoint.path, ...endpoint.query }),
    },
    ...(login === undefined ? {} : { onRequest: operations.walletAuth.onRequest }),
    ...(readsTables ? operations.tables : {}),
    ...(rest.bodyLimit == null ? {} : { bodyLimit: rest.bodyLimit }),
    handler: (request, reply) => send(request, reply, variablesOf(request)),
  })
}

/** Clients may keep the response, and ask whether it is still current. */
function hasEntityTag({ rest, policy: { readsTables } }: Endpoint): boolean {
  return rest.method === 'GET' && rest.status === 200 && rest.store && readsTables
}

/** What runs, and how the body of the response is written. */
function textOf(endpoint: Endpoint, special: SpecialCase | undefined) {
  if (special !== undefined) {
    const write = specialWriter(special)
    const writeParts = (data: object, mediaType: string): Parts => [write(data, mediaType)]
    return { mediaType: special.mediaType, write: writeParts }
  }
  const { document, writeBody } = responseText(restSchema, endpoint.document, rootFields(endpoint))
  return { compiled: document, write: writeBody }
}

function specialWriter(special: SpecialCase): (data: object, mediaType?: string) => string {
  const body = special.body as (data: object, mediaType?: string) => unknown
  return (data, mediaType) => JSON.stringify(body(data, mediaType))
}

type Variables = Record<string, unknown>
type Send = (request: FastifyRequest, reply: FastifyReply, variables: Variables) => Promise<unknown>

function sendResult(
  run: (request: FastifyRequest, variables: Variables) => Promise<object>,
  write: (data: object) => string,
  { status, store }: Endpoint['rest'],
): Send {
  return async (request, reply, variables) => {
    const body = write(await run(request, variables))
    reply.code(status).type(JSON_TYPE)
    if (!store) reply.header('cache-control', 'no-store')
    return body
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
  const headers = ageHeaders(isTagged)
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
