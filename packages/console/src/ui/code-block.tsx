import { useId, useState } from 'react'
import { visibleText } from '../api/visible.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { useCopy } from './address.tsx'
import { moveFocus } from './toggles.tsx'
import css from './code-block.module.css'

export function CodeBlock({ code, label = 'Code' }: { readonly code: string; readonly label?: string }) {
  const { copied, copy } = useCopy()
  return (
    <div className={css.frame}>
      <div className={classes('spread', 'note', css.head)}>
        <span>{label}</span>
        <Button small onClick={() => void copy(code)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      {/* Wide code scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={css.code} tabIndex={0} role="region" aria-label={label}>
        <code>{visibleText(code)}</code>
      </pre>
    </div>
  )
}

interface CodeTabsProps {
  readonly label: string
  readonly codes: Readonly<Record<string, string>>
}

/** The same in several languages, as tabs with arrow keys. */
export function CodeTabs({ label, codes }: CodeTabsProps) {
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const titles = Object.keys(codes)
  const title = titles[chosen] ?? ''
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        className={css.tabs}
        tabIndex={-1}
        onKeyDown={(event) => moveFocus(event)?.click()}
      >
        {titles.map((each, i) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${id}-${i}`}
            aria-selected={i === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={i === chosen ? 0 : -1}
            className="tab"
            onClick={() => setChosen(i)}
          >
            {each}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className={css.panel}>
        <CodeBlock code={codes[title] ?? ''} label={title} />
      </div>
    </div>
  )
}

/** Compact JSON in lines. Texts and numbers stay as they are: JavaScript would round large ones. */
export function inLines(json: string): string {
  let depth = 0
  const line = (): string => `\n${'  '.repeat(depth)}`
  return json.replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === '{' || token === '[') {
      depth += 1
      return token + line()
    }
    if (token === '}' || token === ']') {
      depth -= 1
      return line() + token
    }
    if (token === ',') return token + line()
    return token === ':' ? ': ' : token
  })
}
