import type { KeyboardEvent, ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './toggles.module.css'

interface Toggle {
  readonly key: string
  readonly content: ReactNode
  readonly pressed: boolean
  readonly onClick: () => void
}

interface TogglesProps {
  /** For screen readers. */
  readonly label: string
  readonly toggles: readonly Toggle[]
  /** Of the group and of its buttons, in place of chips. */
  readonly looks?: readonly [group: string | undefined, button: string | undefined]
}

/** Filters that are on or off. The group is one stop of the Tab key, and has arrow keys. */
export function Toggles({ label, toggles, looks }: TogglesProps) {
  const [group, button] = looks ?? [classes('row', css.chips), css.chip]
  const stop = Math.max(
    toggles.findIndex(({ pressed }) => pressed),
    0,
  )
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div role="toolbar" aria-label={label} className={group} onKeyDown={moveFocus}>
      {toggles.map(({ key, content, pressed, onClick }, i) => (
        <button
          key={key}
          type="button"
          className={button}
          aria-pressed={pressed}
          tabIndex={i === stop ? 0 : -1}
          onClick={onClick}
        >
          {content}
        </button>
      ))}
    </div>
  )
}

/** Moves the focus among the buttons of a group by the arrow keys. */
export function moveFocus({ key, currentTarget, target }: KeyboardEvent<HTMLElement>): HTMLElement | null {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
  if (step === undefined) return null
  const buttons = [...currentTarget.querySelectorAll('button')]
  const next = buttons.at((buttons.indexOf(target as HTMLButtonElement) + step) % buttons.length)!
  for (const each of buttons) each.tabIndex = each === next ? 0 : -1
  next.focus()
  return next
}
