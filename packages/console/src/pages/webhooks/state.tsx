import type { ReactNode } from 'react'
import { Badge } from '../../ui/index.ts'

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
