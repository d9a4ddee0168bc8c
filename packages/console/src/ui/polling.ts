import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/** False while the tab is in the background. Streams stop then: a client has only 20 of them. */
export function useVisible(): boolean {
  return useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible')
}

/** Calls `read` every `ms` while the page is visible, and when it becomes visible. Null: never. */
export function usePolling(read: () => void, ms: number | null): void {
  const call = useEffectEvent(read)
  useEffect(() => {
    if (ms === null) return undefined
    const poll = (): void => {
      if (document.visibilityState === 'visible') call()
    }
    const timer = setInterval(poll, ms)
    const stop = onVisibility(poll)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [ms])
}

/** Whether the component is gone, for work that ends later. */
export function useLeft() {
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => void (left.current = true)
  }, [])
  return left
}

/** The last data, also while a later read fails. */
export function useKept<Data>(data: Data | null | undefined): Data | undefined {
  const [kept, setKept] = useState(data ?? undefined)
  if (data != null && data !== kept) setKept(data)
  return data ?? kept
}

/** The value as it was when it last stayed the same for this time. */
export function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/** A text that is sent when somebody stops typing. A link or the back button can change it, too. */
export function useTyped(given: string, ms: number, onTyped: (text: string) => void) {
  const [value, setValue] = useState(given)
  const settled = useDebounced(value, ms)
  const sent = useRef(given)
  const send = useEffectEvent(onTyped)
  useEffect(() => {
    if (settled === sent.current) return
    sent.current = settled
    send(settled)
  }, [settled])
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setValue(given)
  }, [given])
  const onChange = ({ target }: { readonly target: { readonly value: string } }) => setValue(target.value)
  return { value, onChange }
}
