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
} from './document.ts'
import { documentInfo, type OpenApiOptions } from './info.ts'
import { readLiveValues, withLiveValues } from './live-values.ts'

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
