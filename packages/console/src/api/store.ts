import { useSyncExternalStore } from 'react'

/** A value outside of components. `useValue` shows each value that is set. */
export function createStore<Value>(value: Value) {
  const listeners = new Set<() => void>()
  const subscribe = (changed: () => void): (() => void) => {
    listeners.add(changed)
    return () => void listeners.delete(changed)
  }
  const set = (next: Value): void => {
    value = next
    listeners.forEach((changed) => changed())
  }
  return { subscribe, set, useValue: (): Value => useSyncExternalStore(subscribe, () => value) }
}
