import type { ReactNode } from 'react'
import { Button } from './button.tsx'

interface PagerProps {
  readonly text: string
  /** Null if there is no such page. */
  readonly previous: (() => void) | null
  readonly next: (() => void) | null
  /** Other actions on the list. */
  readonly children?: ReactNode
}

interface PageInfo {
  readonly hasPreviousPage: boolean
  readonly hasNextPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** What the buttons of a pager do, from a page of a connection. */
export const pagerActions = (
  { hasPreviousPage, hasNextPage, startCursor, endCursor }: PageInfo,
  go: (to: { before: string } | { after: string }) => void,
) => ({
  previous: hasPreviousPage ? () => go({ before: startCursor! }) : null,
  next: hasNextPage ? () => go({ after: endCursor! }) : null,
})

export function Pager({ text, previous, next, children }: PagerProps) {
  return (
    <nav className="spread hint" aria-label="Pages">
      <span>{text}</span>
      {children}
      <span className="row">
        <Button disabled={previous === null} onClick={previous ?? undefined}>
          Previous
        </Button>
        <Button disabled={next === null} onClick={next ?? undefined}>
          Next
        </Button>
      </span>
    </nav>
  )
}
