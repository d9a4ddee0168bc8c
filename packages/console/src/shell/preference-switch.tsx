import { useSyncExternalStore } from 'react'
import { onStored } from '../api/storage.ts'
import { type Preference, PREFERENCES, readPreference, setPreference } from './preferences.ts'
import css from './shell.module.css'

export function PreferenceSwitch({ name }: { readonly name: Preference }) {
  const value = useSyncExternalStore(onStored, () => readPreference(name))
  const { label, titles } = PREFERENCES[name]
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
