import type { ComponentType } from 'react'
// The router's own parser of paths.
import { parse } from 'regexparam'

/** A page is added in one line. Each is a chunk of its own. */
export const ROUTES: Readonly<Record<string, () => Promise<{ default: ComponentType }>>> = {
  '/': () => import('./pages/overview/page.tsx'),
  '/agents': () => import('./pages/agents/page.tsx'),
  '/agents/:pda': () => import('./pages/agent/page.tsx'),
  '/live': () => import('./pages/live/page.tsx'),
  '/tx/:id': () => import('./pages/transaction/page.tsx'),
  '/start': () => import('./pages/start/page.tsx'),
  '/register': () => import('./pages/register/page.tsx'),
  '/mine': () => import('./pages/mine/page.tsx'),
  '/webhooks': () => import('./pages/webhooks/page.tsx'),
  '/webhooks/:id': () => import('./pages/webhook/page.tsx'),
  '/webhooks/:id/deliveries/:delivery': () => import('./pages/delivery/page.tsx'),
  '/events': () => import('./pages/events/page.tsx'),
  '/credentials': () => import('./pages/credentials/page.tsx'),
  '/developers': () => import('./pages/developers/page.tsx'),
  '/operator': () => import('./pages/operator/page.tsx'),
  '/health': () => import('./pages/health/page.tsx'),
}

/** Starts to load the page of a path before the first render. */
export function preload(path: string): void {
  // The page loads it again if this fails.
  const found = Object.entries(ROUTES).find(([each]) => parse(each).pattern.test(path))
  found?.[1]().catch(() => undefined)
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
