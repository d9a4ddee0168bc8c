/* oxlint-disable jsx-a11y/no-noninteractive-element-to-interactive-role --
   A list with these roles is the pattern of a combobox. Neither select nor datalist has the details. */
import { type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { classes } from '../ui/classes.ts'
import field from '../ui/field.module.css'
import { type Entry, useFound } from './find.ts'
import css from './search.module.css'

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** One box for names, addresses, DIDs, signatures and ids. The key `/` focuses it. */
export function Search({ onMenu }: { readonly onMenu: () => void }) {
  const [text, setText] = useState('')
  const { entries, submit } = useFound(text)
  const input = useRef<HTMLInputElement>(null)

  useKey(
    ({ key }) => key === '/' && document.activeElement?.matches('input, textarea, select') !== true,
    () => input.current?.focus(),
  )

  return (
    <search className={css.search}>
      <Combobox
        label="Search by name, address, DID, signature or id"
        placeholder="Search name, address, DID…"
        listLabel="Search results"
        input={input}
        text={text}
        onText={setText}
        entries={entries}
        onChoose={(entry) => {
          if (entry === null) void submit()
          else entry.run()
          setText('')
          input.current?.blur()
        }}
      />
      <button type="button" className={css.menu} onClick={onMenu}>
        <kbd>{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
        <span className="visually-hidden">opens the command menu</span>
      </button>
    </search>
  )
}

/** Runs for a key, wherever the focus is. */
export function useKey(isKey: (event: KeyboardEvent) => boolean, run: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isKey(event)) return
    event.preventDefault()
    run()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

interface ComboboxProps {
  readonly label: string
  readonly placeholder: string
  readonly listLabel: string
  readonly input: RefObject<HTMLInputElement | null>
  readonly text: string
  readonly onText: (text: string) => void
  readonly entries: readonly Entry[]
  /** Without a chosen entry it is null. */
  readonly onChoose: (entry: Entry | null) => void
  /** The list is part of the page and always open. Its first entry is chosen. */
  readonly inline?: boolean
}

/** A text field with a list: arrow keys choose, Enter runs, Escape closes. */
export function Combobox(props: ComboboxProps) {
  const { label, placeholder, listLabel, input, text, onText, entries, onChoose, inline = false } = props
  const [chosen, setChosen] = useState(inline ? 0 : -1)
  const [open, setOpen] = useState(false)
  const id = useId()
  const first = inline ? 0 : -1
  const current = Math.min(chosen, entries.length - 1)
  const isOpen = (inline || open) && entries.length > 0
  const choose = (entry: Entry | null): void => {
    setOpen(false)
    setChosen(first)
    onChoose(entry)
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setOpen(true)
      const next = Math.max(first, Math.min(entries.length - 1, current + step))
      setChosen(next)
      document.querySelector(`[id="${id}-${next}"]`)?.scrollIntoView({ block: 'nearest' })
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      choose(isOpen ? (entries[current] ?? null) : null)
    }
    if (event.key === 'Escape' && !inline) setOpen(false)
  }
  return (
    <>
      <input
        ref={input}
        className={classes(field.control, css.input)}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && current >= 0 ? `${id}-${current}` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck="false"
        // A dialog gives its focus to this field.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={inline}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          setChosen(first)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label={listLabel}
        className={inline ? css.inline : css.list}
        hidden={!isOpen}
      >
        {entries.map((entry, i) => (
          <li
            key={entry.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === current}
            className={css.option}
            // Before the input loses the focus and the list closes.
            onMouseDown={(event) => {
              event.preventDefault()
              choose(entry)
            }}
          >
            <span>{entry.title}</span>
            {entry.detail !== undefined && <span className="note">{entry.detail}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}
