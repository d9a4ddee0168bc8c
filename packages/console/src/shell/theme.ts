import { readText, storeText } from '../api/storage.ts'

const NAME = 'theme'
export type Theme = 'system' | 'light' | 'dark'

export function readTheme(): Theme {
  const stored = readText('localStorage', NAME)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

const CHANGED = 'themechange'

/** Calls back after each change of the theme. */
export function onThemeChange(changed: () => void): () => void {
  addEventListener(CHANGED, changed)
  return () => removeEventListener(CHANGED, changed)
}

/** Applies a theme and remembers it. Without one, the remembered theme. */
export function applyTheme(theme: Theme = readTheme()): void {
  storeText('localStorage', NAME, theme === 'system' ? null : theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  dispatchEvent(new Event(CHANGED))
}
