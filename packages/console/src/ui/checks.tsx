import type { ReactNode } from 'react'
import css from './checks.module.css'

export interface Check {
  readonly title: string
  readonly passed: boolean
  /** Why. */
  readonly text: ReactNode
}

/** The checks of a credential, with their results. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ol className="stack">
      {checks.map(({ title, passed, text }) => (
        <li key={title} className={css.check} data-passed={passed}>
          <h3>
            {title}
            <span className="visually-hidden">{passed ? ': passed.' : ': failed.'}</span>
          </h3>
          {text}
        </li>
      ))}
    </ol>
  )
}
