import type { ReactNode } from 'react'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { Badge } from '../../ui/index.ts'

export function eventsText(types: readonly WebhookEventType[]): string {
  return types.length === EVENT_TYPES.length ? 'All types' : types.map(eventTitle).join(', ')
}

interface WebhookState {
  readonly active: boolean
  readonly disabledAt?: string | null | undefined
}

export function WebhookBadge({ active, disabledAt }: WebhookState): ReactNode {
  if (active)
    return (
      <Badge tone="good" dot>
        Active
      </Badge>
    )
  if (disabledAt)
    return (
      <Badge tone="bad" dot>
        Disabled by the service
      </Badge>
    )
  return (
    <Badge tone="warn" dot>
      Paused
    </Badge>
  )
}
