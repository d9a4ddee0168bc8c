import { useSyncExternalStore } from 'react'
import { onStored, readText, storeText } from '../api/storage.ts'
import { classes } from '../ui/classes.ts'
import field from '../ui/field.module.css'
import css from './shell.module.css'

/** The values of each preference, the default first. The style sheets read them from <html>. */
const PREFERENCES = {
  density: { label: 'Density', titles: { comfortable: 'Comfortable rows', compact: 'Compact rows' } },
  theme: { label: 'Theme', titles: { system: 'System theme', light: 'Light', dark: 'Dark' } },
} as const
type Preference = keyof typeof PREFERENCES
const NAMES = Object.keys(PREFERENCES) as Preference[]

function readPreference(name: Preference): string {
  const stored = readText('localStorage', name)
  const values = Object.keys(PREFERENCES[name].titles)
  return values.find((value) => value === stored) ?? values[0]!
}

/** Applies a preference and remembers it. */
export function setPreference(name: Preference, value: string): void {
  storeText('localStorage', name, value)
  applyPreferences()
}

export function applyPreferences(): void {
  for (const name of NAMES) document.documentElement.dataset[name] = readPreference(name)
}

export function PreferenceSwitch({ name }: { readonly name: Preference }) {
  const value = useSyncExternalStore(onStored, () => readPreference(name))
  const { label, titles } = PREFERENCES[name]
  return (
    <select
      className={classes(field.control, css.preference)}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => setPreference(name, currentTarget.value)}
    >
      {Object.entries(titles).map(([each, title]) => (
        <option key={each} value={each}>
          {title}
        </option>
      ))}
    </select>
  )
}
