import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Combobox } from './combobox.tsx'
import { useFound } from './entries.ts'
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
