/* oxlint-disable jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/click-events-have-key-events --
   A list with these roles is the pattern of a combobox, whose field has the keys. Neither select nor
   datalist has the details. */
import { useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { apiUrl } from '../api/base.ts'
import { NAVIGATION, OPERATOR } from '../routes.ts'
import { classes, Dialog } from '../ui/index.ts'
import field from '../ui/field.module.css'
import { useAccount } from '../wallet/account.tsx'
import { type Entry, useFound } from './find.ts'
import { setPreference } from './preferences.tsx'
import css from './search.module.css'

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

function isShortcut({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (key === '/') return document.activeElement?.matches('input, textarea, select') !== true
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey)
}

/** Looks like a field, and opens the menu. So do the keys `/` and Ctrl K. */
export function Search({ openAccount }: { readonly openAccount: () => void }) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return
      event.preventDefault()
      // Not over another dialog, which may wait for an answer.
      if (document.querySelector('dialog[open]') === null) setOpen(true)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return (
    <search className={css.search}>
      <button
        type="button"
        className={classes('spread', field.control, css.open)}
        aria-keyshortcuts="/ Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        Search name, address, DID
        <kbd aria-hidden="true">{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {open && (
        <Dialog title="Search" onClose={() => setOpen(false)}>
          <Menu openAccount={openAccount} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </search>
  )
}

/** Pages, actions, and what the registry has for a name, an address, a DID, a signature or an id. */
function Menu({ openAccount, onDone }: { readonly openAccount: () => void; readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const id = useId()
  const commands = useCommands(text, openAccount)
  const entries = [...commands, ...useFound(text)]
  const index = entries.findIndex((each) => each.id === chosen)
  const current = Math.min(Math.max(index, 0), entries.length - 1)
  const run = (entry: Entry | undefined): void => {
    onDone()
    entry?.run()
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    // Enter can end a word of an input method.
    if ((step === undefined && event.key !== 'Enter') || event.nativeEvent.isComposing) return
    // The button that opened the dialog must not get the key.
    event.preventDefault()
    if (step === undefined) return run(entries[current])
    const next = Math.max(0, Math.min(entries.length - 1, current + step))
    setChosen(entries[next]?.id ?? null)
    document.querySelector(`[id="${id}-${next}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <div className="stack">
      <input
        className={field.control}
        type="search"
        role="combobox"
        aria-label="Page, action, name, address, DID, signature or id"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
        placeholder="Type a name, an address, a page…"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck="false"
        // The dialog gives its focus to this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(null)
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Results" className={css.list}>
        {entries.map((entry, i) => (
          <li
            key={entry.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === current}
            className={css.option}
            onClick={() => run(entry)}
          >
            <span>{entry.title}</span>
            {entry.detail !== undefined && <span className="note">{entry.detail}</span>}
          </li>
        ))}
      </ul>
      <p className="note">
        <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes
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
