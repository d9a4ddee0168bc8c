import { type ComponentType, useEffect, useRef } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { basePath } from './api/base.ts'
import { ROUTES } from './routes.tsx'
import { Shell } from './shell/shell.tsx'
import { Empty, Link, Loading, Page, useLazy } from './ui/index.ts'
import { AccountProvider } from './wallet/account.tsx'

export function App() {
  return (
    <AccountProvider>
      <Router base={basePath}>
        <Shell>
          <FocusOnNavigation />
          <Switch>
            {ROUTES.map((route) => (
              <Route key={route.path} path={route.path}>
                {'page' in route ? <route.page /> : <LazyPage load={route.load} />}
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Shell>
      </Router>
    </AccountProvider>
  )
}

function LazyPage({ load }: { readonly load: () => Promise<{ default: ComponentType }> }) {
  const loaded = useLazy(load)
  return loaded === null ? <Loading label="Loading the page" /> : <loaded.default />
}

/** Screen readers and keyboards start at the heading of a new page, not where the link was. */
function FocusOnNavigation() {
  const [path] = useLocation()
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    scrollTo(0, 0)
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [path])
  return null
}

function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address">
        <Link href="/">See all agents</Link>
      </Empty>
    </Page>
  )
}
