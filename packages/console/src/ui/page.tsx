import { type ReactNode, useEffect } from 'react'
import { classes } from './classes.ts'
import css from './page.module.css'

interface PageProps {
  /** The heading, and the title of the tab. */
  readonly title: string
  readonly lead?: ReactNode
  /** Buttons beside the heading. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

/** The frame of every page. */
export function Page({ title, lead, actions, children }: PageProps) {
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
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </>
  )
}
