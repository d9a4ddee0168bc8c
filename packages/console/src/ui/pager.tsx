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
