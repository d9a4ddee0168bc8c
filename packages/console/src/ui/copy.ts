import { useEffect, useState } from 'react'

/** Copies text. `copied` is true for two seconds after it. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(0)
  useEffect(() => {
    if (copied === 0) return undefined
    const timer = setTimeout(() => setCopied(0), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (text: string): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied((times) => times + 1)
  }
  return { copied: copied > 0, copy }
}
