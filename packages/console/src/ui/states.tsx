import { type ReactNode, useState } from 'react'
import { adviceFor, readError } from '../api/errors.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { usePolling } from './polling.ts'
import css from './states.module.css'

/** Says why there is nothing, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={classes('card', css.box)}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

interface ErrorStateProps {
  /** An error of urql or of the client. */
  readonly error: unknown
  /** Called by the button, and again and again after an error that can end by itself. */
  readonly retry?: (() => void) | undefined
  /** Other ways on. */
  readonly children?: ReactNode
}

/** The text of the API, and what to do. */
export function ErrorState({ error, retry, children }: ErrorStateProps) {
  const read = readError(error)
  const left = useRetries(retry, read.retryAfter)
  return (
    <div className={classes('card', css.box)} role="alert">
      <h2 className="bad">{read.message}</h2>
      <p>{left === null ? adviceFor(read) : 'The page tries again by itself.'}</p>
      <div className={classes('row', css.ways)}>
        {retry && (
          <Button onClick={retry}>
            Try again
            {/* Not said by screen readers each second. */}
            {left !== null && <span aria-hidden="true"> in {left} s</span>}
          </Button>
        )}
        {children}
      </div>
    </div>
  )
}

/** Calls `retry` every so many seconds while the page is visible. Returns those that are left. */
function useRetries(retry: (() => void) | undefined, seconds: number | null): number | null {
  const [waited, setWaited] = useState(0)
  const left = retry === undefined || seconds === null ? null : Math.max(seconds - waited, 1)
  usePolling(
    () => {
      setWaited(left === 1 ? 0 : waited + 1)
      if (left === 1) retry!()
    },
    left === null ? null : 1_000,
  )
  return left
}

/** Takes the place of rows, so that nothing moves when they arrive. */
export function Loading({
  rows = 8,
  label = 'Loading',
}: {
  readonly rows?: number
  readonly label?: string
}) {
  return (
    <div className="card" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={css.row} />
      ))}
    </div>
  )
}
