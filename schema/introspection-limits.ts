import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

/**
 * Validation rule: introspection fields must not have aliases, because each alias repeats all
 * descriptions in the response. Tools do not use aliases. `__type` may have them for several types.
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
