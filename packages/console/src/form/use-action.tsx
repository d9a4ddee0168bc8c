import { type ReactNode, useState } from 'react'
import { type AnyVariables, type DocumentInput, type OperationResult, useClient } from 'urql'
import { Button, Dialog, ErrorState } from '../ui/index.ts'
import { useLeft } from '../ui/polling.ts'

/** What is asked before something is lost. */
interface Question {
  readonly title: string
  readonly text: string
  /** What else is asked. */
  readonly content?: ReactNode
  /** Of the button that does it. */
  readonly label: string
  readonly onConfirm: () => void
}

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
  const left = useLeft()
  /** `after` returns what to say, or nothing if the page shows it. */
  const run = <Data, Variables extends AnyVariables>(
    document: DocumentInput<Data, Variables>,
    variables: Variables,
    after: (data: Data) => ReactNode | void,
  ): void => {
    const settle = (result: OperationResult<Data, Variables>): void => {
      // On another page it must not navigate.
      if (left.current) return
      setBusy(false)
      setError(result.error)
      setDone((result.data && !result.error && after(result.data)) || null)
    }
    setBusy(true)
    void client.mutation(document, variables).then(settle)
  }
  const confirm = (): void => {
    ask(null)
    question?.onConfirm()
  }
  const problem = error !== undefined && <ErrorState error={error} />
  const outcome = (
    <>
      <div role="status" className="stack">
        {done}
      </div>
      {problem}
      {question && (
        <Dialog title={question.title} onClose={() => ask(null)}>
          <div className="stack">
            <p>{question.text}</p>
            {question.content}
            <div className="row">
              <Button onClick={() => ask(null)}>Cancel</Button>
              <Button look="danger" onClick={confirm}>
                {question.label}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
  return { busy, error, done, problem, outcome, run, ask }
}
