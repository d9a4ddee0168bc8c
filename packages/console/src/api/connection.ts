import { useSyncExternalStore } from 'react'

let isConnected = true
const listeners = new Set<() => void>()

/** For the socket of the live updates. */
export function setConnected(value: boolean): void {
  isConnected = value
  listeners.forEach((listener) => listener())
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** False from the loss of the socket until it is open again. True while no page needs it. */
export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => isConnected)
}
