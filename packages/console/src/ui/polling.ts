import { useEffect, useEffectEvent } from 'react'

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
