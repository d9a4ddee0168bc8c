import { readText, storeText } from '../api/storage.ts'

/** The values of each preference, the default first. The style sheets read them from <html>. */
const VALUES = {
  theme: ['system', 'light', 'dark'],
  density: ['comfortable', 'compact'],
} as const
export type Preference = keyof typeof VALUES
const NAMES = Object.keys(VALUES) as Preference[]

const CHANGED = 'preferencechange'

export function readPreference(name: Preference): string {
  const stored = readText('localStorage', name)
  return VALUES[name].find((value) => value === stored) ?? VALUES[name][0]
}

/** Calls back after each change of a preference. */
export function onPreferenceChange(changed: () => void): () => void {
  addEventListener(CHANGED, changed)
  return () => removeEventListener(CHANGED, changed)
}

/** Applies a preference and remembers it. */
export function setPreference(name: Preference, value: string): void {
  storeText('localStorage', name, value === VALUES[name][0] ? null : value)
  applyPreferences()
  dispatchEvent(new Event(CHANGED))
}

/** Applies what is remembered. */
export function applyPreferences(): void {
  for (const name of NAMES) {
    const value = readPreference(name)
    if (value === VALUES[name][0]) delete document.documentElement.dataset[name]
    else document.documentElement.dataset[name] = value
  }
}
