import { type DocumentNode, getOperationAST, Kind } from 'graphql'
import type { ShedOrder } from '../src/platform/overload/shed.ts'

/** Root fields that send what a wallet has signed, or ask for its signature before anything else. */
const LAST = {
  query: ['webhooks', 'webhookDeliveries', 'webhookDeliveriesConnection'],
  mutation: [
    'submitTransaction',
    'submitSponsoredRegistration',
    'verifyCredential',
    'createWebhook',
    'updateWebhook',
    'deleteWebhook',
    'rotateWebhookSecret',
    'pingWebhook',
    'resendWebhookDelivery',
    'recoverWebhook',
  ],
  subscription: [],
}

/** Finds nothing in most operations, which then need not be parsed to know that they are shed first. */
export const MAY_BE_LAST = new RegExp(`\\b(?:${[...LAST.query, ...LAST.mutation].join('|')})\\b`)

/** When an operation is refused where there is too much to do: last if that holds for all that it asks for. */
export function operationOrder(document: DocumentNode, operationName?: string | null): ShedOrder {
  const operation = getOperationAST(document, operationName)
  if (!operation) return 'first'
  const last: readonly string[] = LAST[operation.operation]
  const { selections } = operation.selectionSet
  return selections.every((each) => each.kind === Kind.FIELD && last.includes(each.name.value))
    ? 'last'
    : 'first'
}
