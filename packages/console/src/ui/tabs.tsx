import { type ReactNode, useId, useState } from 'react'
import css from './tabs.module.css'
import { moveFocus } from './toggles.tsx'

interface Tab {
  readonly title: string
  readonly content: ReactNode
}

/** Tabs with arrow keys. Only the chosen tab is rendered. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [chosen, setChosen] = useState(0)
  const id = useId()
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        className={css.list}
        tabIndex={-1}
        onKeyDown={(event) => moveFocus(event)?.click()}
      >
        {tabs.map(({ title }, i) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-${i}`}
            aria-selected={i === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={i === chosen ? 0 : -1}
            className="tab"
            onClick={() => setChosen(i)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className={css.panel}>
        {tabs[chosen]?.content}
      </div>
    </div>
  )
}
