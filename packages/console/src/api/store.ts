import { useSyncExternalStore } from 'react'

/** A value outside of components. `useValue` shows each one that is set. */
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
  const get = (): Value => value
  return { get, set, subscribe, useValue: (): Value => useSyncExternalStore(subscribe, get) }
}
