import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { apiUrl } from '../api/base.ts'
import { NAVIGATION, OPERATOR } from '../routes.ts'
import { classes } from '../ui/index.ts'
import { useAccount } from '../wallet/account.tsx'
import { type Entry, useFound } from './find.ts'
import { setPreference } from './preferences.tsx'
import { Combobox } from './search.tsx'
import css from './search.module.css'

interface CommandMenuProps {
  readonly onClose: () => void
  readonly openAccount: () => void
}

/** Pages, actions and everything that the search box finds, for the keyboard. */
export function CommandMenu({ onClose, openAccount }: CommandMenuProps) {
  const [text, setText] = useState('')
  const found = useFound(text)
  const commands = useCommands(text, openAccount)
  const input = useRef<HTMLInputElement>(null)
  const entries = [...commands, ...found.entries]
  return (
    <div className={classes('stack', css.commands)}>
      <Combobox
        label="Page, action, name, address, DID, signature or id"
        placeholder="Type a page, an action or a name…"
        listLabel="Commands"
        input={input}
        text={text}
        onText={setText}
        entries={entries}
        inline
        onChoose={(entry) => {
          onClose()
          if (entry === null) void found.submit()
          else entry.run()
        }}
      />
      <p className="note" role="status">
        {entries.length === 0 ? 'Nothing begins with this. Press Enter to search all names.' : ''}
      </p>
      <p className="note">
        <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes, <kbd>/</kbd> searches
      </p>
    </div>
  )
}

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
function useCommands(text: string, openAccount: () => void): Entry[] {
  const [, navigate] = useLocation()
  const { address, session, signOut } = useAccount()
  const all = [
    ...PAGES.map(({ to, title }) => ({ id: title, title, detail: 'Page', run: () => navigate(to) })),
    ...entriesOf('Action', {
      [address === null ? 'Connect wallet' : 'Your wallet']: openAccount,
      ...(session !== null && { 'Sign out': () => void signOut() }),
      'Copy the link of this page': () =>
        void navigator.clipboard.writeText(location.href).catch(() => undefined),
      'Use the light theme': () => setPreference('theme', 'light'),
      'Use the dark theme': () => setPreference('theme', 'dark'),
      'Use the system theme': () => setPreference('theme', 'system'),
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
