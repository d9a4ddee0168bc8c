import { createStore } from './store.ts'

/** `reached`: an answer. `busy`: a refusal that ends by itself. `lost`: no answer. */
type LastRequest = 'reached' | 'busy' | 'lost'
export type Connection = LastRequest | 'reconnecting'

const lastRequest = createStore<LastRequest>('reached')
const socket = createStore(true)

/** For the result of each request. */
export const setLastRequest = lastRequest.set
/** For the socket of the live updates: false from its loss until it is open again. */
export const setSocket = socket.set

/** Whether the live updates arrive. True while no page needs the socket. */
export const useSocket = socket.useValue

/** What the last request and the socket say. */
export function useConnection(): Connection {
  const request = lastRequest.useValue()
  return useSocket() || request !== 'reached' ? request : 'reconnecting'
}
