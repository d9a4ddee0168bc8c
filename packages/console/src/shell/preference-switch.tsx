import { useSyncExternalStore } from 'react'
import { onPreferenceChange, type Preference, readPreference, setPreference } from './preferences.ts'
import css from './shell.module.css'

interface PreferenceSwitchProps {
  readonly name: Preference
  readonly label: string
  /** Each value with its title. */
  readonly titles: Readonly<Record<string, string>>
}

export function PreferenceSwitch({ name, label, titles }: PreferenceSwitchProps) {
  const value = useSyncExternalStore(onPreferenceChange, () => readPreference(name))
  return (
    <select
      className={css.preference}
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
