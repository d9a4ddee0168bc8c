import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  type GraphQLScalarType,
  type GraphQLSchema,
  validate,
  type GraphQLError,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { DomainError, isDomainError } from '../src/domain/errors.ts'
import type { GraphQLContext } from '../schema/context.ts'
import { schemaOfTexts } from '../schema/variants.ts'
import { addWholeFields } from './response-text.ts'

export type Executor = 'jit' | 'execute'

/** The data of an operation without errors: look-ups have found their object. */
export type Found<Data> = { readonly [Field in keyof Data]: NonNullable<Data[Field]> }

/** Runs one operation. Throws what the service threw. */
export type Operation<Data, Variables> = (
  context: GraphQLContext,
  variables: Variables,
) => Promise<Found<Data>>

type Execution<Variables> = (
  context: GraphQLContext,
  variables: Variables,
) => ExecutionResult | Promise<ExecutionResult>

declare global {
  interface JSON {
    /** ECMAScript 2025: a value that JSON.stringify writes as this text. */
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** An integer that JSON.stringify writes with all its digits, also above 2^53. */
export type ExactInteger = number | { readonly rawJSON: string }

function exactInteger(decimal: string): ExactInteger {
  const number = Number(decimal)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(BigInt(decimal).toString())
}

/** The schema of REST. It writes U64 as a JSON integer; /graphql and tools write it as text. */
export const restSchema = addWholeFields(schemaOfTexts())
const u64 = restSchema.getType('U64') as GraphQLScalarType
Object.assign(u64, { serialize: exactInteger, coerceOutputValue: exactInteger })

/**
 * Validates and compiles an operation. `execute` runs it with graphql-js, which is slower: it is
 * the fallback, and tests compare its results with those of the compiled form.
 */
export function operation<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  executor: Executor = 'jit',
  schema = restSchema,
): Operation<Data, Variables> {
  const [invalid] = validate(schema, document)
  if (invalid !== undefined) throw invalid
  const run = executor === 'jit' ? compiled(document, schema) : interpreted(document, schema)
  return async (context, variables) => {
    const { data, errors } = await run(context, variables)
    const error = errors?.[0]
    if (error !== undefined) throw causeOf(error)
    return data as Found<Data>
  }
}

/** What the service threw. Without a path, GraphQL refused a variable. */
function causeOf(error: GraphQLError): Error {
  if (isDomainError(error.originalError) || error.path !== undefined) return error.originalError ?? error
  return new DomainError('INVALID_REQUEST', { problem: error.message })
}

function compiled<Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<unknown, Variables>,
  schema: GraphQLSchema,
): Execution<Variables> {
  const query = compileQuery(schema, document as DocumentNode, undefined, {
    // Rows already contain valid numbers, booleans and enum texts. Checking each leaf doubles the
    // cost.
    disableLeafSerialization: true,
  })
  if (!isCompiledQuery(query)) throw query.errors?.[0] ?? new Error('The operation cannot be compiled')
  return (context, variables) => query.query(undefined, context, variables)
}

function interpreted<Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<unknown, Variables>,
  schema: GraphQLSchema,
): Execution<Variables> {
  return (contextValue, variableValues) => execute({ schema, document, contextValue, variableValues })
}
