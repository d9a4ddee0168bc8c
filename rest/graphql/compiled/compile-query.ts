import {
  type DocumentNode,
  type OperationDefinitionNode,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  typeFromAST,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { GraphQLContext } from '../../../schema/context.ts'
import { fragmentsOf } from '../../../schema/document-size.ts'
import { schemaToCompile } from '../../../schema/variants.ts'
import { rootFields } from '../../documents/responses.ts'
import { addWholeFields, type ResponseText, responseText } from '../../response-text.ts'
import { operationUnits } from '../../../schema/operation-cost.ts'

const schema = addWholeFields(schemaToCompile())

/** Null for what responses of documents cannot be: then the whole result is written at once. */
function textOf(definition: OperationDefinitionNode, document: DocumentNode): ResponseText | null {
  try {
    return responseText(
      schema,
      document,
      rootFields({ definition, fragments: { get: fragmentsOf(document) } }),
    )
  } catch {
    return null
  }
}

type Variables = Readonly<Record<string, unknown>>

export interface CompiledQuery {
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
  const compiled = compileQuery(schema, text?.document ?? document, undefined, {
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
    isInputObjectType(getNullableType(typeFromAST(schema, type))) ? variable.name.value : [],
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
