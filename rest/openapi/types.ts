export type Json = Record<string, unknown>

export interface Media {
  schema: Json
  example?: unknown
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Json
  example?: unknown
  examples?: unknown
}

export interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** The parts of an OpenAPI 3.1 document that the code of this folder changes. */
export interface OpenApiDocument {
  servers?: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

export function operationsOf({ paths, webhooks }: OpenApiDocument): Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item))
}
