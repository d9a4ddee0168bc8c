import type { ReactNode } from 'react'
import type { WebhookEventType } from '../../events/events.generated.ts'
import { EVENT_TYPES, eventTitle } from '../../events/types.ts'
import { Light } from '../../ui/index.ts'

export function eventsText(types: readonly WebhookEventType[]): string {
  return types.length === EVENT_TYPES.length ? 'All types' : types.map(eventTitle).join(', ')
}

interface WebhookState {
  readonly active: boolean
  readonly disabledAt?: string | null | undefined
}

export function WebhookBadge({ active, disabledAt }: WebhookState): ReactNode {
  if (active) return <Light tone="good" text="Active" />
  return disabledAt ? <Light tone="bad" text="Disabled" /> : <Light tone="warn" text="Paused" />
}
