import { type ReactNode, useEffect, useLayoutEffect } from 'react'
import { classes } from './classes.ts'
import type { RequestOfPage } from './request-codes.tsx'
import { ShowRequest } from './show-request.tsx'
import css from './page.module.css'

interface PageProps {
  /** The heading, and the title of the tab. */
  readonly title: string
  readonly lead?: ReactNode
  /** Shows it to developers. */
  readonly request?: RequestOfPage
  /** Other buttons beside the heading. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

const setTitle = (title: string): void => {
  document.title = `${title} · Agent Registry`
}

/** Sets the title of the tab when the content of a page is read. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) setTitle(title)
  }, [title])
}

/** The frame of every page. */
export function Page({ title, lead, request, actions, children }: PageProps) {
  // Before effects of the content, which may know a better title.
  useLayoutEffect(() => setTitle(title), [title])
  return (
    <>
      <div className={classes('spread', css.head)}>
        <div className={css.titles}>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p className={css.lead}>{lead}</p>}
        </div>
        <div className="row">
          {request && <ShowRequest {...request} />}
          {actions}
        </div>
      </div>
      {children}
    </>
  )
}
