import { createStore } from './store.ts'

/** The storage of this tab, or of this browser. Browsers can refuse both. */
type Area = 'sessionStorage' | 'localStorage'

/** Null if there is none. */
export function readText(area: Area, name: string): string | null {
  try {
    return globalThis[area].getItem(name)
  } catch {
    return null
  }
}

const stored = createStore<string | null>(null)

/** Calls back after each text that this tab stored. */
export const onStored = stored.subscribe

/** Null removes it. False if the browser did not store it. */
export function storeText(area: Area, name: string, text: string | null): boolean {
  try {
    if (text === null) globalThis[area].removeItem(name)
    else globalThis[area].setItem(name, text)
  } catch {
    return false
  }
  stored.set(text)
  return true
}

/** A value of this tab. Anything can be in the storage, so the caller checks its shape. */
export function readValue(name: string): unknown {
  try {
    return JSON.parse(readText('sessionStorage', name) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value for this tab. Null removes it. */
export const storeValue = (name: string, value: unknown): boolean =>
  storeText('sessionStorage', name, value === null ? null : JSON.stringify(value))

/** Whether each of these members is a text. */
export function hasTexts<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Readonly<Record<Name, string>> {
  const members = (value ?? {}) as Partial<Record<Name, unknown>>
  return names.every((name) => typeof members[name] === 'string')
}
