import { readText, storeText } from '../api/storage.ts'

/** The values of each preference, the default first. The style sheets read them from <html>. */
export const PREFERENCES = {
  density: { label: 'Density', titles: { comfortable: 'Comfortable rows', compact: 'Compact rows' } },
  theme: { label: 'Theme', titles: { system: 'System theme', light: 'Light', dark: 'Dark' } },
} as const
export type Preference = keyof typeof PREFERENCES
const NAMES = Object.keys(PREFERENCES) as Preference[]
const valuesOf = (name: Preference): string[] => Object.keys(PREFERENCES[name].titles)

export function readPreference(name: Preference): string {
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
