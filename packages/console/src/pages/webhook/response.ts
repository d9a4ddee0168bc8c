import { words } from '../../ui/index.ts'
import type { DeliveryFieldsFragment } from './page.generated.ts'

const REASONS: Readonly<Record<string, string>> = {
  timeout: 'No answer in time',
  dns_error: 'The host name was not found',
  connect_error: 'No connection to the host',
  tls_error: 'The TLS certificate or connection was refused',
  reset: 'The host closed the connection early',
  ssrf_blocked: 'The address is not allowed',
}

/** What the receiver answered, or why there is no answer. */
export function responseOf({
  responseStatus,
  errorCode,
}: DeliveryFieldsFragment['attempts'][number]): string {
  if (typeof responseStatus === 'number') return `HTTP ${responseStatus}`
  return errorCode ? (REASONS[errorCode] ?? words(errorCode)) : 'No response'
}

/** Why there was an attempt. */
export const TRIGGERS: Readonly<Record<string, string>> = {
  event: 'First attempt',
  ping: 'Test event',
  recover: 'Recovered by you',
  resend: 'Sent again by you',
  retry: 'Automatic retry',
}
