import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

/** A page of a list. The first one has no cursor. */
type Place = { readonly before: string } | { readonly after?: string }

/** The variables of a page of so many rows, which is the first one at the beginning. */
export function usePlace(size: number) {
  const [place, setPlace] = useState<Place>({})
  return [{ ...place, ...('before' in place ? { last: size } : { first: size }) }, setPlace] as const
}

interface PagerProps {
  readonly text: string
  /** Of the connection. */
  readonly page: {
    readonly hasPreviousPage: boolean
    readonly hasNextPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly onMove: (to: { before: string } | { after: string }) => void
  /** Other actions on the list. */
  readonly children?: ReactNode
}

export function Pager({ text, page, onMove, children }: PagerProps) {
  return (
    <nav className="spread hint" aria-label="Pages">
      <span>{text}</span>
      {children}
      <span className="row">
        <Button disabled={!page.hasPreviousPage} onClick={() => onMove({ before: page.startCursor! })}>
          Previous
        </Button>
        <Button disabled={!page.hasNextPage} onClick={() => onMove({ after: page.endCursor! })}>
          Next
        </Button>
      </span>
    </nav>
  )
}
