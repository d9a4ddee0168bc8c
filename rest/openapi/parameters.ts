import { type OpenApiDocument, operationsOf, type Parameter } from './types.ts'

/**
 * Moves the examples of optional parameters into their schemas. Pages that send requests fill in
 * the example of a parameter, and an optional one changes the result.
 */
export function keepOptionalParametersEmpty(document: OpenApiDocument): void {
  for (const operation of operationsOf(document))
    operation.parameters &&= operation.parameters.map(withoutExample)
}

function withoutExample(parameter: Parameter): Parameter {
  if (parameter.required === true || parameter.example === undefined) return parameter
  const { example, ...rest } = parameter
  return { ...rest, schema: { ...rest.schema, examples: [example] } }
}

/**
 * The document for Swagger UI: without the defaults of optional parameters, which it fills in, and
 * with the origin of the page as server, because its policy allows no other.
 */
export function forPage(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document)
  for (const { parameters = [] } of operationsOf(copy))
    for (const { required, schema } of parameters) if (required !== true) delete schema['default']
  return { ...copy, servers: [{ url: '/' }] }
}
