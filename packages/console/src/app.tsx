import type { ComponentType } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { basePath } from './api/base.ts'
import { ROUTES } from './routes.ts'
import { FocusOnNavigation } from './shell/focus-on-navigation.ts'
import { Shell } from './shell/shell.tsx'
import { TransactionProvider } from './transaction/provider.tsx'
import { Boundary, Empty, Link, Loading, Page, useLazy } from './ui/index.ts'
import { AccountProvider } from './wallet/account.tsx'

export function App() {
  return (
    <AccountProvider>
      <TransactionProvider>
        <Router base={basePath}>
          <Shell>
            <FocusOnNavigation />
            <Pages />
          </Shell>
        </Router>
      </TransactionProvider>
    </AccountProvider>
  )
}

function Pages() {
  const [path] = useLocation()
  // Another page does not fail because this one did.
  return (
    <Boundary key={path} part="page">
      <Switch>
        {Object.entries(ROUTES).map(([each, load]) => (
          <Route key={each} path={each}>
            <LazyPage load={load} />
          </Route>
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Boundary>
  )
}

function LazyPage({ load }: { readonly load: () => Promise<{ default: ComponentType }> }) {
  const loaded = useLazy(load)
  return loaded === null ? <Loading label="Loading the page" /> : <loaded.default />
}

function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address">
        <Link href="/agents">See all agents</Link>
      </Empty>
    </Page>
  )
}
