import type { ReactNode } from 'react'
import css from './checks.module.css'
import { RelativeTime } from './time.tsx'

/** Each with what screen readers say. */
const STATES = { passed: 'passed', failed: 'failed', done: 'done', now: 'in progress', later: 'not yet' }

export interface Check {
  readonly title: string
  readonly state: keyof typeof STATES
  /** Why, or what it means. */
  readonly text: ReactNode
  readonly time?: string | null | undefined
}

/** For a state that is true or false, it passed or failed. */
export function check(
  title: string,
  state: Check['state'] | boolean,
  text: ReactNode,
  time?: string | null,
): Check {
  const isResult = typeof state === 'boolean'
  return { title, state: isResult ? (state ? 'passed' : 'failed') : state, text, time }
}

/** The checks of a credential, or the steps of a transaction, with their results. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ol className="stack">
      {checks.map(({ title, state, text, time }) => (
        <li key={title} className={css.check} data-state={state}>
          <div className="spread">
            <h3>
              {title}
              <span className="visually-hidden">: {STATES[state]}.</span>
            </h3>
            {time != null && (
              <span className="note">
                <RelativeTime value={time} />
              </span>
            )}
          </div>
          {text}
        </li>
      ))}
    </ol>
  )
}
