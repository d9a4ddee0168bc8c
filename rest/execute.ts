import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, execute, type ExecutionResult, validate } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import type { GraphQLContext } from '../schema/context.ts'
import { schema } from '../schema/index.ts'

export type Executor = 'jit' | 'execute'

/** Runs one operation with its variables; throws what the service threw. */
export type Operation<Data, Variables> = (context: GraphQLContext, variables: Variables) => Promise<Data>

type Execution<Variables> = (
  context: GraphQLContext,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>

/** Validates and compiles an operation, once. `execute` is graphql-js itself: slower, and the oracle of the compiled form. */
export function operation<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  executor: Executor = 'jit',
): Operation<Data, Variables> {
  const [invalid] = validate(schema, document)
  if (invalid !== undefined) throw invalid
  const run = executor === 'jit' ? compiled(document) : interpreted(document)
  return async (context, variables) => {
    const { data, errors } = await run(context, variables)
    const error = errors?.[0]
    if (error !== undefined) throw error.originalError ?? error
    return data as Data
  }
}

function compiled<Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<unknown, Variables>,
): Execution<Variables> {
  const query = compileQuery(schema, document as DocumentNode, undefined, {
    // Rows hold numbers, booleans and enum texts as such; checking each leaf again would double the cost of a page.
    disableLeafSerialization: true,
  })
  if (!isCompiledQuery(query)) throw query.errors?.[0] ?? new Error('The operation cannot be compiled')
  return (context, variables) => query.query(undefined, context, variables)
}

function interpreted<Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<unknown, Variables>,
): Execution<Variables> {
  return (contextValue, variableValues) => execute({ schema, document, contextValue, variableValues })
}
