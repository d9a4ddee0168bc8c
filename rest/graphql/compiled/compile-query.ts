import {
  type DocumentNode,
  type ExecutionResult,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  typeFromAST,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { GraphQLContext } from '../../../schema/context.ts'
import { fragmentsOf } from '../../../schema/document-size.ts'
import { schemaToCompile } from '../../../schema/variants.ts'
import { operationUnits } from '../../../schema/operation-cost.ts'

const schema = schemaToCompile()

type Variables = Readonly<Record<string, unknown>>

export interface CompiledQuery {
  /** The name of its only operation. */
  readonly operationName: string | undefined
  readonly units: (variables: Variables) => number
  /**
   * Null if there is an error: graphql-js then executes the query, because its errors are the ones
   * that clients expect.
   */
  readonly run: (context: GraphQLContext, variables: Variables) => Promise<ExecutionResult | null>
}

/** Null for a document that cannot be compiled. It must be valid and have one operation. */
export function compileQueryOf(document: DocumentNode): CompiledQuery | null {
  const operation = getOperationAST(document)!
  const compiled = compileQuery(schema, document, undefined, {
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
      return result.errors === undefined ? result : null
    },
  }
}
