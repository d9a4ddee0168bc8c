import swagger from '@fastify/swagger'
import type { Services } from '../../src/compose/services.ts'
import type { RestApp } from '../rest-app.ts'
import { compressFile, sendFile, type StaticFile } from '../plugins/static-files.ts'
import { docsPage } from './docs-page.ts'
import {
  addBodyExamples,
  forPage,
  keepOptionalParametersEmpty,
  nameComponents,
  type OpenApiDocument,
  type Parameter,
} from './document.ts'
import { documentInfo, type OpenApiOptions } from './info.ts'
import { ownerDid } from '../../src/domain/did.ts'
import { isDomainError } from '../../src/domain/errors.ts'
import { knownError } from '../../src/domain/known-error.ts'

/**
 * Describes the routes that are registered after it in /openapi.json (OpenAPI 3.1) and at /docs.
 */
export async function describeRoutes(
  app: RestApp,
  services: Services,
  options: OpenApiOptions,
): Promise<void> {
  await app.register(swagger, {
    openapi: documentInfo(options),
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
