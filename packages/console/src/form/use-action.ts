import { useState } from 'react'
import type { AnyVariables, OperationResult } from 'urql'

/** Runs one change at a time. `error` is that of the last change, `done` says what it did. */
export function useAction() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(undefined)
  const [done, setDone] = useState('')
  const run = async <Data, Variables extends AnyVariables>(
    change: Promise<OperationResult<Data, Variables>>,
    after: (data: Data) => string,
  ): Promise<void> => {
    setBusy(true)
    const result = await change
    setBusy(false)
    setError(result.error)
    setDone(result.data && !result.error ? after(result.data) : '')
  }
  return { busy, error, done, run }
}
