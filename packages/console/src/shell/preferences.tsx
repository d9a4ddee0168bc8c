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
const valuesOf = (name: Preference): string[] => Object.keys(PREFERENCES[name].titles)

function readPreference(name: Preference): string {
  const stored = readText('localStorage', name)
  const values = valuesOf(name)
  return values.find((value) => value === stored) ?? values[0]!
}

/** Applies a preference and remembers it. */
export function setPreference(name: Preference, value: string): void {
  storeText('localStorage', name, value === valuesOf(name)[0] ? null : value)
  applyPreferences()
}

/** Applies what is remembered. */
export function applyPreferences(): void {
  for (const name of NAMES) {
    const value = readPreference(name)
    if (value === valuesOf(name)[0]) delete document.documentElement.dataset[name]
    else document.documentElement.dataset[name] = value
  }
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
