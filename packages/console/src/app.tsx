import { useEffect, useRef } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { basePath } from './api/base.ts'
import { ROUTES } from './routes.ts'
import { Shell } from './shell/shell.tsx'
import { Boundary, Empty, lazily, Link, Page } from './ui/index.ts'
import { AccountProvider } from './wallet/account.tsx'

export function App() {
  return (
    <AccountProvider>
      <Router base={basePath}>
        <Shell>
          <FocusOnNavigation />
          <Pages />
        </Shell>
      </Router>
    </AccountProvider>
  )
}

function Pages() {
  const [path] = useLocation()
  // Another page does not fail because this one did.
  return (
    <Boundary key={path} part="page">
      <Switch>
        {PAGES.map((props) => (
          <Route key={props.path} {...props} />
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Boundary>
  )
}

const PAGES = Object.entries(ROUTES).map(([path, load]) => ({
  path,
  component: lazily(async () => (await load()).default, 'Loading the page', 8),
}))

function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address">
        <Link href="/agents">See all agents</Link>
      </Empty>
    </Page>
  )
}

/** Where the back button leads. */
let restored = ''
// In the capture phase, to know it before the router shows the other page.
addEventListener('popstate', () => (restored = location.pathname), true)

/**
 * Screen readers and keyboards start at the heading of a new page, not where the link was. For the
 * back button the browser restores the position itself.
 */
function FocusOnNavigation() {
  const [path] = useLocation()
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return undefined
    before.current = path
    if (restored !== location.pathname) scrollTo(0, 0)
    restored = ''
    if (focusHeading()) return undefined
    // The code of the page is on its way.
    const observer = new MutationObserver(() => focusHeading() && observer.disconnect())
    observer.observe(document.querySelector('#content')!, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [path])
  return null
}

/** Whether the heading is there. It takes no focus from somebody who types. */
function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('h1')
  if (document.activeElement?.matches('input, textarea, select') !== true) {
    heading?.focus({ preventScroll: true })
  }
  return heading !== null
}
