import { useRef, useState } from 'react'
import { classes, Dialog } from '../ui/index.ts'
import { Combobox } from './combobox.tsx'
import { useCommands } from './commands.ts'
import { useFound } from './entries.ts'
import css from './search.module.css'

interface CommandMenuProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly openAccount: () => void
}

/** Pages, actions and everything that the search box finds, for the keyboard. */
export function CommandMenu({ open, onClose, openAccount }: CommandMenuProps) {
  return (
    <Dialog title="Go to" open={open} onClose={onClose}>
      <Menu onClose={onClose} openAccount={openAccount} />
    </Dialog>
  )
}

function Menu({ onClose, openAccount }: Omit<CommandMenuProps, 'open'>) {
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
