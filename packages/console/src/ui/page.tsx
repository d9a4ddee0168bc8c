import { type ReactNode, useEffect, useLayoutEffect } from 'react'
import { Boundary } from './boundary.tsx'
import { classes } from './classes.ts'
import { DialogButton } from './dialog.tsx'
import { lazily } from './lazy.tsx'
import type { RequestOfPage } from './request-codes.tsx'
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

/** Shows the request of a page. */
export const ShowRequest = (request: RequestOfPage) => (
  <DialogButton look="quiet" label="API request" title="This page as a request">
    {() => (
      <Boundary part="small">
        <Codes {...request} />
      </Boundary>
    )}
  </DialogButton>
)

const Codes = lazily<RequestOfPage>(
  async () => (await import('./request-codes.tsx')).RequestCodes,
  'Loading the request',
  3,
)

/**
 * Client code with values as string literals. They come from the URL, so a link could otherwise put
 * code into an example that people copy.
 */
export function clientCode(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((code, text, i) => code + JSON.stringify(values[i - 1]) + text)
}
