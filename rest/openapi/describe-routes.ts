import type { FastifyInstance } from 'fastify'
import swagger from '@fastify/swagger'
import type { Services } from '../../src/compose/services.ts'
import { compressFile, sendFile, type StaticFile } from '../plugins/static-files.ts'
import { docsPage } from './docs-page.ts'
import { NAME, VALUES } from '../contract/shapes.ts'
import { documentInfo } from './info.ts'
import type { RestContext } from '../rest-context.ts'
import { ownerDid } from '../../src/domain/did.ts'
import { isDomainError } from '../../src/domain/errors.ts'
import { knownError } from '../../src/domain/known-error.ts'

/**
 * Describes the routes that are registered after it in /openapi.json (OpenAPI 3.1) and at /docs.
 */
export async function describeRoutes(
  app: FastifyInstance,
  { services, baseUrl }: RestContext,
): Promise<void> {
  await app.register(swagger, {
    openapi: documentInfo(baseUrl),
    transformObject: (result) => {
      const document = ('openapiObject' in result ? result.openapiObject : {}) as unknown as OpenApiDocument
      nameComponents(document)
      addBodyExamples(document)
      keepOptionalParametersEmpty(document)
      return document
    },
  })
  const write = (change: (document: OpenApiDocument) => OpenApiDocument) => {
    let written: { values: string; file: Promise<StaticFile> } | undefined
    return async (): Promise<StaticFile> => {
      const live = await readLiveValues(services)
      const values = JSON.stringify(live)
      if (written?.values !== values) {
        const document = change(app.swagger() as unknown as OpenApiDocument)
        const text = JSON.stringify(withLiveValues(document, live))
        written = { values, file: compressFile('application/json; charset=utf-8', text) }
      }
      return written.file
    }
  }
  const writeDocument = write((document) => document)
  const writePageDocument = write(forPage)
  docsPage(app, writePageDocument)
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    sendFile(request, reply, await writeDocument()),
  )
}

/** Values of the registry, for the examples of parameters. */
interface LiveValues {
  readonly agent?: string
  readonly owner?: string
  readonly stake?: string
}

/** The newest agent and a stake account. Empty while the registry cannot be read. */
async function readLiveValues({ agents, stakes }: Services): Promise<LiveValues> {
  try {
    const first = { first: 1 }
    const [[agent], [stake]] = await Promise.all([
      agents.listConnection(first).then(({ edges }) => edges),
      stakes.listConnection(first).then(({ edges }) => edges),
    ])
    return { agent: agent?.node.pda, owner: agent?.node.owner, stake: stake?.node.pda }
  } catch (error) {
    if (isDomainError(error) || knownError(error) !== null) return {}
    throw error
  }
}

/** The document with these values as examples of required parameters. */
function withLiveValues(document: OpenApiDocument, values: LiveValues): OpenApiDocument {
  const copy = structuredClone(document)
  for (const [path, item] of Object.entries(copy.paths))
    for (const { parameters = [] } of Object.values(item))
      for (const parameter of parameters) parameter.example = liveValue(path, parameter, values)
  return copy
}

function liveValue(path: string, { name, required, example }: Parameter, values: LiveValues): unknown {
  if (required !== true) return example
  const { agent, owner, stake } = values
  if (name === 'pda') return (path.startsWith('/stakes/') ? stake : agent) ?? example
  if (name === 'wallet') return owner ?? example
  return name === 'did' && owner !== undefined ? ownerDid(owner) : example
}

type Json = Record<string, unknown>

interface Media {
  schema: Json
  example?: unknown
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Json
  example?: unknown
  examples?: unknown
}

interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** The parts of an OpenAPI 3.1 document that the code of this folder changes. */
interface OpenApiDocument {
  tags: { name: string; description: string }[]
  servers?: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

function operationsOf({ paths, webhooks }: OpenApiDocument): Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item))
}

const PREFIX = '#/components/schemas/'

/**
 * Moves each named schema to `components.schemas` and leaves a reference. Throws if two different
 * schemas have one name.
 */
function nameComponents(document: OpenApiDocument): void {
  const { schemas } = document.components
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move)
    if (typeof value !== 'object' || value === null) return value
    const { [NAME]: name, [VALUES]: values = [], ...rest } = value as Json
    const schema = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, move(each)]))
    const texts = [schema['description'] ?? '', ...(values as string[])] as string[]
    if (texts.length > 1) schema['description'] = texts.join(' ').trim()
    if (typeof name !== 'string') return schema
    const other = (schemas[name] ??= schema)
    if (JSON.stringify(other) !== JSON.stringify(schema))
      throw new Error(`Two schemas have the name ${name}. Name one of them with @model`)
    return { $ref: `${PREFIX}${name}` }
  }
  document.paths = move(document.paths) as OpenApiDocument['paths']
  document.webhooks = move(document.webhooks) as OpenApiDocument['webhooks']
  document.components.schemas = Object.fromEntries(
    Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** The schema that a reference names, or the schema itself. */
function resolved({ components }: OpenApiDocument, schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const target = components.schemas[$ref.slice(PREFIX.length)]
  if (target === undefined) throw new Error(`Nothing is at ${$ref}`)
  return target
}

/** Gives every body an example, made of the examples of its members. */
function addBodyExamples(document: OpenApiDocument): void {
  for (const { requestBody, responses } of operationsOf(document)) {
    const bodies = [requestBody, ...Object.values(responses)]
    for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {})))
      media.example ??= exampleOf(document, media.schema)
  }
}

/** An example of the schema. Fields that only operators select may have none. */
function exampleOf(document: OpenApiDocument, schema: Json): unknown {
  const {
    examples,
    default: usual,
    const: only,
    enum: choices,
    oneOf,
    type,
    properties,
    items,
  } = resolved(document, schema)
  const inner = (each: unknown): unknown => exampleOf(document, each as Json)
  if (Array.isArray(examples)) return examples[0]
  const value = only ?? usual ?? (choices as unknown[] | undefined)?.[0]
  if (value !== undefined) return value
  if (Array.isArray(oneOf))
    return oneOf.some((each) => (each as Json)['type'] === 'null') ? null : inner(oneOf[0])
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, inner(each)]))
  if (type === 'array') return [inner(items)]
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? 0 : 'text'
}

/**
 * Moves the examples of optional parameters into their schemas. Pages that send requests fill in
 * the example of a parameter, and an optional one changes the result.
 */
function keepOptionalParametersEmpty(document: OpenApiDocument): void {
  for (const { parameters = [] } of operationsOf(document))
    for (const parameter of parameters) {
      if (parameter.required === true || parameter.example === undefined) continue
      parameter.schema = { ...parameter.schema, examples: [parameter.example] }
      delete parameter.example
    }
}

/**
 * The document for Swagger UI: without the defaults of optional parameters, which it fills in, and
 * with the origin of the page as server, because its policy allows no other. Links to guides are
 * relative to /docs/, whatever path a proxy adds.
 */
function forPage(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document)
  for (const { parameters = [] } of operationsOf(copy))
    for (const { required, schema } of parameters) if (required !== true) delete schema['default']
  const tags = copy.tags.map((tag) => ({
    ...tag,
    description: tag.description.replace(/\(\S*\/docs\/guides\//, '(guides/'),
  }))
  return { ...copy, tags, servers: [{ url: '/' }] }
}
