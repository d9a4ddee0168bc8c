import { useSyncExternalStore } from 'react'

/** `reached`: an answer. `busy`: a refusal that ends by itself. `lost`: no answer. */
export type Connection = 'reached' | 'busy' | 'lost' | 'reconnecting'

let lastRequest: Exclude<Connection, 'reconnecting'> = 'reached'
let hasSocket = true
const listeners = new Set<() => void>()

/** For the socket of the live updates: false from its loss until it is open again. */
export function setSocket(isOpen: boolean): void {
  hasSocket = isOpen
  listeners.forEach((listener) => listener())
}

/** For the result of each request. */
export function setLastRequest(state: Exclude<Connection, 'reconnecting'>): void {
  if (state === lastRequest) return
  lastRequest = state
  listeners.forEach((listener) => listener())
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const current = (): Connection => (lastRequest === 'reached' && !hasSocket ? 'reconnecting' : lastRequest)

/** What the last request and the socket say. */
export const useConnection = (): Connection => useSyncExternalStore(subscribe, current)

/** Whether the live updates arrive. True while no page needs the socket. */
export const useSocket = (): boolean => useSyncExternalStore(subscribe, () => hasSocket)
