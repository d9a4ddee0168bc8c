import type { ReactNode } from 'react'
import { adviceFor, readError } from '../api/errors.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import css from './states.module.css'

interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
}

/** Says why there is nothing, and what to do. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={css.box}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

interface ErrorStateProps {
  /** An error of urql or of the client. */
  readonly error: unknown
  readonly retry?: (() => void) | undefined
  /** Other ways on. */
  readonly children?: ReactNode
}

/** The text of the API, and what to do. */
export function ErrorState({ error, retry, children }: ErrorStateProps) {
  const read = readError(error)
  return (
    <div className={classes(css.box, css.error)} role="alert">
      <h2>{read.message}</h2>
      <p>{adviceFor(read)}</p>
      <div className={css.ways}>
        {retry && <Button onClick={retry}>Try again</Button>}
        {children}
      </div>
    </div>
  )
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
    <div className={css.skeleton} role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={css.row} />
      ))}
    </div>
  )
}
