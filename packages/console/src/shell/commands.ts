import { useLocation } from 'wouter'
import { apiUrl } from '../api/base.ts'
import { NAVIGATION, OPERATOR } from '../routes.ts'
import { useAccount } from '../wallet/account.tsx'
import type { Entry } from './entries.ts'
import { setPreference } from './preferences.ts'

const PAGES = [
  ...NAVIGATION,
  { to: '/start', title: 'Get started' },
  { to: '/register', title: 'Register an agent' },
  { to: '/events', title: 'Event types and payloads' },
  { to: '/health', title: 'Service health' },
  OPERATOR,
]
const DOCUMENTS = [
  { path: 'docs/', title: 'REST reference' },
  { path: 'graphql', title: 'GraphiQL' },
]

/** The pages and actions whose title contains all typed words. */
export function useCommands(text: string, openAccount: () => void): Entry[] {
  const [, navigate] = useLocation()
  const { address, session, signOut } = useAccount()
  const all: Entry[] = [
    ...PAGES.map(({ to, title }) => ({ id: to, title, detail: 'Page', run: () => navigate(to) })),
    {
      id: 'account',
      title: address === null ? 'Connect wallet' : 'Your wallet',
      detail: 'Action',
      run: openAccount,
    },
    ...(session === null
      ? []
      : [{ id: 'sign out', title: 'Sign out', detail: 'Action', run: () => void signOut() }]),
    {
      id: 'copy',
      title: 'Copy the link of this page',
      detail: 'Action',
      run: () => void navigator.clipboard.writeText(location.href).catch(() => undefined),
    },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: theme,
      title: `Use the ${theme} theme`,
      detail: 'Action',
      run: () => setPreference('theme', theme),
    })),
    ...(['comfortable', 'compact'] as const).map((density) => ({
      id: density,
      title: `Use ${density} rows`,
      detail: 'Action',
      run: () => setPreference('density', density),
    })),
    ...DOCUMENTS.map(({ path, title }) => ({
      id: path,
      title,
      detail: 'Document',
      run: () => location.assign(apiUrl(path)),
    })),
  ]
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ title }) => typed.every((word) => title.toLowerCase().includes(word)))
}
