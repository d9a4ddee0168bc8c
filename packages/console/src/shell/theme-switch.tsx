import { useSyncExternalStore } from 'react'
import css from './shell.module.css'
import { applyTheme, onThemeChange, readTheme, type Theme } from './theme.ts'

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System theme' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function ThemeSwitch() {
  const theme = useSyncExternalStore(onThemeChange, readTheme)
  return (
    <select
      className={css.theme}
      aria-label="Theme"
      value={theme}
      onChange={({ target }) => applyTheme(target.value as Theme)}
    >
      {THEMES.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
