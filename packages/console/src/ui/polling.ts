import { useEffect, useEffectEvent, useState } from 'react'

/** Calls `read` every `ms` while the page is visible, and when it becomes visible. Null: never. */
export function usePolling(read: () => void, ms: number | null): void {
  const call = useEffectEvent(read)
  useEffect(() => {
    if (ms === null) return undefined
    const poll = (): void => {
      if (document.visibilityState === 'visible') call()
    }
    const timer = setInterval(poll, ms)
    document.addEventListener('visibilitychange', poll)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', poll)
    }
  }, [ms])
}

/** The last data, also while a later read fails. */
export function useKept<Data>(data: Data | null | undefined): Data | undefined {
  const [kept, setKept] = useState(data ?? undefined)
  if (data != null && data !== kept) setKept(data)
  return data ?? kept
}
