import type { DocumentNode } from 'graphql'
import type { ShedOrder } from '../src/platform/overload/shed.ts'
import { operationPriority } from './priority.ts'

export { MAY_HAVE_HIGH_PRIORITY as MAY_BE_LAST } from './priority.ts'

export function operationOrder(document: DocumentNode, operationName?: string | null): ShedOrder {
  return operationPriority(document, operationName) === 'high' ? 'last' : 'first'
}
