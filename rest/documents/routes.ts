import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../src/domain/errors.ts'
import { errorResponses } from '../contract/error-responses.ts'
import type { Json } from '../contract/shapes.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import type { Endpoint, Inputs } from './endpoints.ts'
import { isRequired, objectOf } from './json-schema.ts'
import { bodyOf, responseSchema } from './responses.ts'
import { ageHeaders, conditionalRequest, notModified, SECURITY, walletHeaders } from './request-parts.ts'

/** What an endpoint does that no directive says. */
export interface Exception {
  readonly body: (data: never) => unknown
  /** Of the body. */
  readonly schema: Json
}

interface RouteOptions {
  readonly operations: Operations
  readonly exceptions: Readonly<Record<string, Exception>>
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

function addRoute(app: RestApp, endpoint: Endpoint, { operations, exceptions }: RouteOptions): void {
  const { rest, policy, document, name, isOperators } = endpoint
  const { login, priority, tables } = policy
  const exception = exceptions[name]
  const toBody = (exception?.body as ((data: object) => unknown) | undefined) ?? bodyOf(endpoint)
  const isCacheable = tables !== undefined && tables !== 'uncached'
  const send = isCacheable
    ? operations.read(document, { tables, toBody, chargeAll: isOperators })
    : sendResult(operations.run(document, { chargeAll: isOperators }), toBody, rest)
  const variablesOf = variableReader(endpoint)
  app.route({
    method: rest.method,
    url: rest.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: routeSchema(endpoint, exception?.schema ?? responseSchema(endpoint)),
    config: {
      ...(login === undefined
        ? { priority: rest.exempt ? 'exempt' : priority }
        : operations.walletAuth.config),
      spellParameter: parameterSpelling(endpoint),
    },
    ...(login === undefined ? {} : { onRequest: operations.walletAuth.onRequest }),
    ...(tables === undefined ? {} : operations.tables),
    ...(rest.bodyLimit == null ? {} : { bodyLimit: rest.bodyLimit }),
    handler: (request, reply) => send(request, reply, variablesOf(request)),
  })
}

type Variables = Record<string, unknown>
type Send = (request: FastifyRequest, reply: FastifyReply, variables: Variables) => Promise<unknown>

function sendResult(
  run: (request: FastifyRequest, variables: Variables) => Promise<object>,
  toBody: (data: never) => unknown,
  { status, store }: Endpoint['rest'],
): Send {
  return async (request, reply, variables) => {
    const body = toBody((await run(request, variables)) as never)
    reply.code(status)
    if (!store) reply.header('cache-control', 'no-store')
    return body
  }
}

/** Reads the variables of an operation from a request. Throws FIELD_REQUIRED. */
function variableReader(endpoint: Endpoint): (request: FastifyRequest) => Variables {
  const { path, query, body, toVariables } = endpoint
  const [hasPath, hasQuery] = [path, query].map((inputs) => Object.keys(inputs).length > 0)
  const required = Object.entries(body ?? {}).flatMap(([name, input]) => (isRequired(input) ? name : []))
  return ({ params, query: given, body: sent }) => {
    const values: Variables = hasPath === true ? { ...(params as Variables) } : {}
    if (hasQuery === true) Object.assign(values, given)
    if (body === null) return values
    const missing = required.find((name) => !Object.hasOwn(sent as Variables, name))
    if (missing !== undefined) throw new DomainError('FIELD_REQUIRED', { parameter: missing })
    return toVariables(Object.assign(values, sent))
  }
}

/** Errors name parameters as this endpoint does, and not as the argument that they fill. */
function parameterSpelling({ path, query }: Endpoint): (parameter: string) => string {
  const names = new Map(Object.entries({ ...path, ...query }).map(([name, input]) => [input.name, name]))
  return (parameter) => names.get(parameter) ?? parameter
}

function bodySchema(body: Inputs, { policy: { exactlyOneOf } }: Endpoint): Json {
  if (exactlyOneOf === undefined) return objectOf(body)
  const variant = (name: string): Json => ({ ...objectOf({ [name]: body[name]! }), required: [name] })
  return { description: 'Exactly one of the members.', oneOf: exactlyOneOf.map(variant) }
}

function routeSchema(endpoint: Endpoint, response: Json): object {
  const { rest, policy, path, query, body, summary, description, name } = endpoint
  const { login, tables, errors } = policy
  const isCacheable = tables !== undefined && tables !== 'uncached'
  const headers = ageHeaders(isCacheable)
  return {
    operationId: `${name[0]!.toLowerCase()}${name.slice(1)}`,
    tags: [rest.tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(Object.keys(path).length === 0 ? {} : { params: objectOf(path) }),
    ...(rest.anyQuery ? {} : { querystring: objectOf(query) }),
    ...(body === null ? {} : { body: bodySchema(body, endpoint) }),
    ...(login === undefined ? {} : { security: SECURITY[login] }),
    ...(login === 'wallet' ? walletHeaders : {}),
    ...(isCacheable ? conditionalRequest : {}),
    response: {
      [rest.status]: tables === undefined ? response : { ...response, headers },
      ...(isCacheable ? notModified(headers) : {}),
      ...errorResponses({
        codes: errors,
        hasBody: body !== null,
        needsWallet: login !== undefined,
        isCounted: !rest.exempt,
      }),
    },
  }
}
