import { useEffect, useRef, useState } from 'react'
import { Combobox } from './combobox.tsx'
import { useFound } from './entries.ts'
import css from './search.module.css'

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** One box for names, addresses, DIDs, signatures and ids. The key `/` focuses it. */
export function Search({ onMenu }: { readonly onMenu: () => void }) {
  const [text, setText] = useState('')
  const { entries, submit } = useFound(text)
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement
      if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])

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
