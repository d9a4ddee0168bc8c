import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useClient, useQuery } from 'urql'
import { useLocation } from 'wouter'
import { useDebounced } from '../ui/debounced.ts'
import { words } from '../ui/badge.tsx'
import { pageFor } from './find.ts'
import { SuggestDocument } from './search.generated.ts'
import css from './search.module.css'

/** One box for names, addresses, DIDs, signatures and ids. The key `/` focuses it. */
export function Search() {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(-1)
  const [open, setOpen] = useState(false)
  const [, navigate] = useLocation()
  const client = useClient()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const prefix = useDebounced(text.trim(), 200)
  const [{ data }] = useQuery({
    query: SuggestDocument,
    variables: { prefix },
    pause: prefix === '' || prefix.length > 32,
  })
  const found = prefix === '' || text.trim() === '' ? [] : (data?.agentSuggestions ?? [])
  const isOpen = open && found.length > 0

  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])

  const go = (path: string): void => {
    setText('')
    setOpen(false)
    setChosen(-1)
    input.current?.blur()
    navigate(path)
  }
  const submit = async (): Promise<void> => {
    const agent = isOpen ? found[chosen] : undefined
    if (agent !== undefined) go(`/agents/${agent.pda}`)
    else if (text.trim() !== '') go(await pageFor(client, text))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && isOpen) {
      event.preventDefault()
      setChosen((now) => Math.max(-1, Math.min(found.length - 1, now + step)))
    }
    if (event.key === 'Escape') setOpen(false)
  }
  return (
    <form
      className={css.search}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <input
        ref={input}
        className={css.input}
        type="search"
        role="combobox"
        aria-label="Search by name, address, DID, signature or id"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder="Search name, address, DID…"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(-1)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Agents" className={css.list} hidden={!isOpen}>
        {found.map(({ pda, name, tier }, i) => (
          <li
            key={pda}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            className={css.option}
            // Before the input loses the focus and the list closes.
            onMouseDown={(event) => {
              event.preventDefault()
              go(`/agents/${pda}`)
            }}
          >
            <span>{name}</span>
            <span className={css.tier}>{words(tier)}</span>
          </li>
        ))}
      </ul>
    </form>
  )
}
