import type { ComponentType } from 'react'
// The router's own parser of paths.
import { parse } from 'regexparam'

interface RouteEntry {
  readonly path: string
  readonly load: () => Promise<{ default: ComponentType }>
}

/** A page is added in one line. Each is a chunk of its own. */
export const ROUTES: readonly RouteEntry[] = [
  { path: '/', load: () => import('./pages/overview/page.tsx') },
  { path: '/agents', load: () => import('./pages/agents/page.tsx') },
  { path: '/agents/:pda', load: () => import('./pages/agent/page.tsx') },
  { path: '/live', load: () => import('./pages/live/page.tsx') },
  { path: '/tx/:id', load: () => import('./pages/transaction/page.tsx') },
  { path: '/start', load: () => import('./pages/start/page.tsx') },
  { path: '/register', load: () => import('./pages/register/page.tsx') },
  { path: '/mine', load: () => import('./pages/mine/page.tsx') },
  { path: '/webhooks', load: () => import('./pages/webhooks/page.tsx') },
  { path: '/webhooks/:id', load: () => import('./pages/webhook/page.tsx') },
  { path: '/webhooks/:id/deliveries/:delivery', load: () => import('./pages/delivery/page.tsx') },
  { path: '/events', load: () => import('./pages/events/page.tsx') },
  { path: '/credentials', load: () => import('./pages/credentials/page.tsx') },
  { path: '/developers', load: () => import('./pages/developers/page.tsx') },
  { path: '/operator', load: () => import('./pages/operator/page.tsx') },
  { path: '/health', load: () => import('./pages/health/page.tsx') },
]

/** Starts to load the page of a path before the first render. */
export function preload(path: string): void {
  // `useLazy` loads it again if this fails.
  ROUTES.find((each) => parse(each.path).pattern.test(path))
    ?.load()
    .catch(() => undefined)
}

/** The navigation of the header. */
export const NAVIGATION = [
  { to: '/', title: 'Overview' },
  { to: '/agents', title: 'Agents' },
  { to: '/live', title: 'Live' },
  { to: '/mine', title: 'My agent' },
  { to: '/webhooks', title: 'Webhooks' },
  { to: '/credentials', title: 'Credentials' },
  { to: '/developers', title: 'Developers' },
] as const
/** In the navigation of a tab with the token of the operator. */
export const OPERATOR = { to: '/operator', title: 'Operator' } as const

/** Where a page leads that the first steps opened. */
export const nextStep = (search: URLSearchParams) =>
  search.get('from') === 'start' ? { to: '/start', label: 'Next step' } : undefined
