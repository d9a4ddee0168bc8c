import { type ReactNode, useState } from 'react'
import { type AnyVariables, type DocumentInput, type OperationResult, useClient } from 'urql'
import { Confirm, ErrorState, type Question } from '../ui/index.ts'

export type Action = ReturnType<typeof useAction>

/**
 * Runs one change at a time, and `ask`s before one that loses something. `done` says what the last
 * one did, `problem` why it failed. `outcome` shows both, and the question.
 */
export function useAction() {
  const client = useClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(undefined)
  const [done, setDone] = useState<ReactNode>(null)
  const [question, ask] = useState<Question | null>(null)
  /** `after` returns what to say, or nothing if the page shows it. */
  const run = <Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
    after: (data: Data) => ReactNode | void,
  ): void => {
    const settle = (result: OperationResult<Data, Variables>): void => {
      setBusy(false)
      setError(result.error)
      setDone((result.data && !result.error && after(result.data)) || null)
    }
    setBusy(true)
    void client.mutation(document, variables).then(settle)
  }
  const problem = error !== undefined && <ErrorState error={error} />
  const outcome = (
    <>
      <div role="status" className="stack">
        {done}
      </div>
      {problem}
      <Confirm question={question} onClose={() => ask(null)} />
    </>
  )
  return { busy, error, done, problem, outcome, run, ask }
}
