import { words } from '../../ui/index.ts'
import type { DeliveryFieldsFragment, WebhookAttemptError, WebhookDeliveryTrigger } from './page.generated.ts'

type Attempt = DeliveryFieldsFragment['attempts'][number]

const REASONS: Readonly<Partial<Record<WebhookAttemptError, string>>> = {
  TIMEOUT: 'No answer in time',
  DNS_ERROR: 'The host name was not found',
  CONNECT_ERROR: 'No connection to the host',
  TLS_ERROR: 'The TLS certificate or connection was refused',
  RESET: 'The host closed the connection early',
  SSRF_BLOCKED: 'The address is not allowed',
}

/** What the receiver answered, or why there is no answer. */
export function responseOf({ responseStatus, errorCode }: Attempt): string {
  if (typeof responseStatus === 'number') return `HTTP ${responseStatus}`
  return errorCode ? (REASONS[errorCode] ?? words(errorCode)) : 'No response'
}

/** Why there was an attempt. */
export const TRIGGERS: Readonly<Record<WebhookDeliveryTrigger, string>> = {
  EVENT: 'First attempt',
  PING: 'Test event',
  RECOVER: 'Recovered by you',
  RESEND: 'Sent again by you',
  RETRY: 'Automatic retry',
}
