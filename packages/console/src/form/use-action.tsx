import { useState } from 'react'
import { type AnyVariables, type DocumentInput, useClient } from 'urql'
import { ErrorState } from '../ui/index.ts'

/** Runs one change at a time. `done` says what the last one did, `problem` why it failed. */
export function useAction() {
  const client = useClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(undefined)
  const [done, setDone] = useState('')
  const run = async <Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
    after: (data: Data) => string,
  ): Promise<void> => {
    setBusy(true)
    const result = await client.mutation(document, variables).toPromise()
    setBusy(false)
    setError(result.error)
    setDone(result.data && !result.error ? after(result.data) : '')
  }
  const problem = error !== undefined && <ErrorState error={error} />
  const outcome = (
    <>
      <p role="status">{done}</p>
      {problem}
    </>
  )
  return { busy, done, problem, outcome, run }
}
