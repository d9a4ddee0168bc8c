import type { ErrorEntry } from './entry.ts'

/** Subscriptions and their deliveries. */
export const WEBHOOK_ERRORS = {
  WEBHOOK_NOT_FOUND: { status: 404, message: 'Webhook not found' },
  DELIVERY_NOT_FOUND: { status: 404, message: 'Delivery not found' },
  WEBHOOK_INACTIVE: { status: 409, message: 'Webhook is not active: set active to true first' },
  EVENT_WITHDRAWN: {
    status: 409,
    message: 'A fork of the ledger removed this event, so it cannot be sent again',
  },
  RECOVERY_TOO_LONG: {
    status: 400,
    message: 'since and until must be at most {max} days apart, got {given}',
  },
  URL_REQUIRED: { status: 400, message: 'url is required' },
  RECEIVER_REFUSED: { status: 400, message: '{parameter} {problem}, got {value}' },
  EVENT_TYPES_REQUIRED: { status: 400, message: 'eventTypes array is required' },
  EVENT_TYPES_EMPTY: { status: 400, message: 'eventTypes must contain at least one event type' },
  EVENT_TYPE_REPEATED: {
    status: 400,
    message: 'eventTypes must not contain duplicates, got {type} twice',
  },
  TOO_MANY_WEBHOOKS: { status: 409, message: 'A wallet can have at most {max} webhooks' },
  WEBHOOK_CLIENT_LIMIT: {
    status: 429,
    message: 'At most {max} new webhooks per IP address and day. Try again in {seconds} s.',
  },
} as const satisfies Record<string, ErrorEntry>
