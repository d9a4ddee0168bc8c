import type {
  ListWebhookDeliveriesQuery,
  WebhookDeliveryFieldsFragment,
  WebhookFieldsFragment,
} from '../generated/graphql.ts'

/** `eventTypes` too, since the contract shows both names. */
export function toWebhook(webhook: WebhookFieldsFragment) {
  const { id, url, eventTypes, filterAgentPda, active } = webhook
  return {
    id,
    url,
    event_types: eventTypes,
    eventTypes,
    filter_agent_pda: filterAgentPda,
    active,
    disabled_reason: webhook.disabledReason,
    disabled_at: webhook.disabledAt,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  }
}

export function toDelivery(delivery: WebhookDeliveryFieldsFragment) {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    completed_at: delivery.completedAt,
    attempts: delivery.attempts.map((attempt) => ({
      number: attempt.number,
      trigger: attempt.trigger,
      outcome: attempt.outcome,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      response_status: attempt.responseStatus,
      error_code: attempt.errorCode,
      response_excerpt: attempt.responseExcerpt,
      next_attempt_at: attempt.nextAttemptAt,
    })),
  }
}

export function toDeliveryList({ webhookDeliveries: page }: ListWebhookDeliveriesQuery) {
  return { ...page, deliveries: page.deliveries.map(toDelivery) }
}
