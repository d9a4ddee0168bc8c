import { type ReactNode, useEffect } from 'react'
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

/** The frame of every page. */
export function Page({ title, lead, request, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Agent Registry`
  }, [title])
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
