import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

/**
 * Validation rule: what describes the schema is selected once, by its own name, as tools do it. A hundred aliases of a description would
 * be a hundred copies of all of them. `__type` may be asked for several types.
 */
export function introspectionLimits(context: ValidationContext): ASTVisitor {
  return {
    Field: (field) => {
      const describes = field.name.value === '__schema' || context.getParentType()?.name.startsWith('__')
      if (describes && field.alias !== undefined)
        context.reportError(new GraphQLError('Introspection must not use aliases', { nodes: field }))
    },
  }
}
