import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  getOperationAST,
  type GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  validate,
  type GraphQLError,
} from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { DomainError, isDomainError } from '../src/domain/errors.ts'
import type { GraphQLContext } from '../schema/context.ts'
import { fragmentsOf } from '../schema/document-size.ts'
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
type ExactInteger = number | { readonly rawJSON: string }

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
  const positions = positionsOf(document)
  return async (context, variables) => {
    const { data, errors } = await run(context, variables)
    const error = errors && firstOf(errors, positions)
    if (error !== undefined) throw causeOf(error)
    return data as Found<Data>
  }
}

/** A field of a response, with its position among the fields of the same object. */
interface Position {
  readonly index: number
  readonly inner: Positions
}
type Positions = Map<string, Position>

/** The fields of a response in the order of the document. */
function positionsOf(document: DocumentNode): Positions {
  const fragments = fragmentsOf(document)
  const add = ({ selections }: SelectionSetNode, positions: Positions): Positions => {
    for (const each of selections) {
      if (each.kind !== Kind.FIELD) {
        const fragment = each.kind === Kind.INLINE_FRAGMENT ? each : fragments(each.name.value)
        if (fragment !== undefined) add(fragment.selectionSet, positions)
        continue
      }
      const name = (each.alias ?? each.name).value
      const position = positions.get(name) ?? { index: positions.size, inner: new Map() }
      positions.set(name, position)
      if (each.selectionSet !== undefined) add(each.selectionSet, position.inner)
    }
    return positions
  }
  return add(getOperationAST(document)!.selectionSet, new Map())
}

/** Fields run at the same time, so the order of their errors changes from call to call. */
function firstOf(errors: readonly GraphQLError[], positions: Positions): GraphQLError | undefined {
  return errors.toSorted((one, other) => comparePaths(one.path ?? [], other.path ?? [], positions))[0]
}

/** A shorter path comes first: without a path, GraphQL refused a variable. */
function comparePaths(one: Path, other: Path, positions: Positions | undefined): number {
  const [[first, ...rest], [second, ...more]] = [one, other]
  if (first === undefined || second === undefined) return one.length - other.length
  // Entries of a list have the same fields.
  if (typeof first === 'number') return first - Number(second) || comparePaths(rest, more, positions)
  const [position, otherPosition] = [first, second].map((name) => positions?.get(String(name)))
  return (position?.index ?? 0) - (otherPosition?.index ?? 0) || comparePaths(rest, more, position?.inner)
}
type Path = NonNullable<GraphQLError['path']>

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
