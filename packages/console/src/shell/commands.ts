import { useLocation } from 'wouter'
import { apiUrl } from '../api/base.ts'
import { NAVIGATION, OPERATOR } from '../routes.ts'
import { useAccount } from '../wallet/account.tsx'
import type { Entry } from './entries.ts'
import { setPreference } from './preferences.tsx'

const PAGES = [
  ...NAVIGATION,
  { to: '/start', title: 'Get started' },
  { to: '/register', title: 'Register an agent' },
  { to: '/events', title: 'Event types and payloads' },
  { to: '/health', title: 'Service health' },
  OPERATOR,
]

/** Entries of one kind, each with what it does. */
const entriesOf = (detail: string, actions: Record<string, () => void>): Entry[] =>
  Object.entries(actions).map(([title, run]) => ({ id: title, title, detail, run }))

/** The pages and actions whose title contains all typed words. */
export function useCommands(text: string, openAccount: () => void): Entry[] {
  const [, navigate] = useLocation()
  const { address, session, signOut } = useAccount()
  const pages = PAGES.map(({ to, title }) => [title, () => navigate(to)] as const)
  const themes = ['light', 'dark', 'system'].map(
    (theme) => [`Use the ${theme} theme`, () => setPreference('theme', theme)] as const,
  )
  const all = [
    ...entriesOf('Page', Object.fromEntries(pages)),
    ...entriesOf('Action', {
      [address === null ? 'Connect wallet' : 'Your wallet']: openAccount,
      ...(session !== null && { 'Sign out': () => void signOut() }),
      'Copy the link of this page': () =>
        void navigator.clipboard.writeText(location.href).catch(() => undefined),
      ...Object.fromEntries(themes),
      'Use comfortable rows': () => setPreference('density', 'comfortable'),
      'Use compact rows': () => setPreference('density', 'compact'),
    }),
    ...entriesOf('Document', {
      'REST reference': () => location.assign(apiUrl('docs/')),
      GraphiQL: () => location.assign(apiUrl('graphql')),
    }),
  ]
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ title }) => typed.every((word) => title.toLowerCase().includes(word)))
}
