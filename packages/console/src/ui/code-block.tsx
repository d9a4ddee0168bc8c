import { visibleText } from '../api/visible.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { useCopy } from './copy.ts'
import { Tabs } from './tabs.tsx'
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

/** The same in several languages. */
export function CodeTabs({ label, codes }: CodeTabsProps) {
  const tabs = Object.entries(codes).map(([title, code]) => ({
    title,
    content: <CodeBlock code={code} label={title} />,
  }))
  return <Tabs label={label} tabs={tabs} />
}
