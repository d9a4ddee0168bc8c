import { type DocumentNode, getOperationAST, Kind, OperationTypeNode } from 'graphql'
import type { Priority } from '../src/platform/overload/admission.ts'
import { schema } from './index.ts'

const rootFields = (operation: OperationTypeNode) => schema.getRootType(operation)?.getFields() ?? {}

const HIGH_PRIORITY_FIELDS = Object.values(OperationTypeNode)
  .flatMap((operation) => Object.values(rootFields(operation)))
  .filter(({ extensions }) => extensions.priority === 'high')
  .map(({ name }) => name)

/** Matches every document that can have high priority. Most do not match and need no parsing. */
export const MAY_HAVE_HIGH_PRIORITY = new RegExp(`\\b(?:${HIGH_PRIORITY_FIELDS.join('|')})\\b`)

/** `high` if all root fields of the operation have high priority. */
export function operationPriority(document: DocumentNode, operationName?: string | null): Priority {
  const operation = getOperationAST(document, operationName)
  if (!operation) return 'low'
  const fields = rootFields(operation.operation)
  const isHigh = operation.selectionSet.selections.every(
    (each) => each.kind === Kind.FIELD && fields[each.name.value]?.extensions.priority === 'high',
  )
  return isHigh ? 'high' : 'low'
}
