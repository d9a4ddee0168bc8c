import { type DocumentNode, GraphQLError, parse } from 'graphql'

/** Scalars in a response that take as much CPU time as `GET /agents?limit=50`. */
export const VALUES_PER_UNIT = 600

/** Limits of one operation at /graphql. */
export const LIMITS = {
  characters: 20_000,
  tokens: 1_000,
  /** Members of objects and lists in the JSON of a request, at all levels. */
  values: 3_000,
  depth: 8,
  rootFields: 10,
  /** The fields of a fragment count each time it is spread. */
  fields: 500,
  /** The fields of all operations and fragments of a document. */
  documentFields: 1_000,
  /** Pairs of fields that are merged because they have the same name, and pairs of fragments. */
  repeatedFields: 5_000,
  /** The limits of nested lists times the fields of each entry. */
  nestedValues: 200_000,
} as const

/** Throws GraphQLError if the text is invalid, too long or nested too deeply. */
export function parseLimited(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The query is nested too deeply')
    throw error
  }
}
