import swagger from '@fastify/swagger'
import type { Services } from '../../src/services.ts'
import type { RestApp } from '../rest-app.ts'
import { nameComponents } from './components.ts'
import { docsPage } from './docs-page.ts'
import { addBodyExamples } from './examples.ts'
import { documentInfo, type OpenApiOptions } from './info.ts'
import { readLiveValues, withLiveValues } from './live-values.ts'
import { keepOptionalParametersEmpty, forPage } from './parameters.ts'
import type { OpenApiDocument } from './types.ts'

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
    let written: { values: string; bytes: Buffer } | undefined
    return async (): Promise<Buffer> => {
      const live = await readLiveValues(services)
      const values = JSON.stringify(live)
      if (written?.values !== values) {
        const document = change(app.swagger() as unknown as OpenApiDocument)
        written = { values, bytes: Buffer.from(JSON.stringify(withLiveValues(document, live))) }
      }
      return written.bytes
    }
  }
  const writeDocument = write((document) => document)
  const writePageDocument = write(forPage)
  await docsPage(app, writePageDocument)
  app.get('/openapi.json', { schema: { hide: true } }, async (_, reply) =>
    reply.type('application/json; charset=utf-8').send(await writeDocument()),
  )
}
