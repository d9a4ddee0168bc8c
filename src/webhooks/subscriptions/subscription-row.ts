import type { RowOf } from '../../db/columns-of.ts'
import type { WebhookSubscription } from '../../db/entities/webhooks.ts'

/** The properties that a subscription's owner sees. The secret is not one of them. */
export const SHOWN = [
  'id',
  'wallet',
  'url',
  'eventTypes',
  'filterAgentPda',
  'active',
  'disabledReason',
  'disabledAt',
  'createdAt',
  'updatedAt',
] as const

export type SubscriptionRow = Readonly<Pick<RowOf<typeof WebhookSubscription>, (typeof SHOWN)[number]>>
