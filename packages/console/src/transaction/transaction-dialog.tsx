import { Address, Button, ButtonLink, CodeBlock, Dialog } from '../ui/index.ts'
import type { Problem } from './problem.ts'
import { Review } from './review.tsx'
import css from './transaction.module.css'
import type { Step, TransactionRequest } from './use-transaction.tsx'

interface TransactionDialogProps {
  readonly request: TransactionRequest
  readonly step: Step
  readonly wallet: { readonly address: string; readonly name: string }
  readonly program: string
  readonly onRetry: () => void
  readonly onClose: () => void
}

const WAITING = {
  preparing: 'The gateway prepares the transaction and tries it without sending it.',
  signing: 'Confirm it in your wallet.',
  sending: 'The transaction is on its way to the ledger. This takes a few seconds.',
}

/** The pressed button is gone. Keyboards and screen readers start at the new step. */
function focus(content: HTMLElement | null): void {
  content?.focus()
}

/** The steps of a transaction: prepare, review, sign, follow. */
export function TransactionDialog(props: TransactionDialogProps) {
  const { request, step, onClose } = props
  return (
    // While it is sent, closing would only hide the outcome.
    <Dialog title={request.title} open onClose={onClose} locked={step.name === 'sending'}>
      <div className={css.steps}>
        <p className={css.note} role="status">
          {step.name in WAITING ? WAITING[step.name as keyof typeof WAITING] : ''}
        </p>
        <div key={step.name} className={css.steps} ref={focus} tabIndex={-1}>
          <StepContent {...props} />
        </div>
      </div>
    </Dialog>
  )
}

function StepContent({ request, step, wallet, program, onRetry, onClose }: TransactionDialogProps) {
  switch (step.name) {
    case 'review':
      return (
        <Review
          bytes={step.bytes}
          hints={request.hints ?? {}}
          wallet={wallet}
          program={program}
          onSign={() => step.answer(true)}
          onCancel={onClose}
        />
      )
    case 'confirmed':
      return (
        <div className={css.steps}>
          <p role="status">
            <strong className={css.good}>Confirmed</strong> in slot{' '}
            {step.transaction.slot?.toLocaleString('en') ?? 'unknown'}.
          </p>
          <p className={css.note}>
            Signature <Address value={step.transaction.signature ?? ''} label="signature" />
          </p>
          <div className={css.buttons}>
            <ButtonLink to={`/tx/${step.transaction.id}`}>Open the transaction</ButtonLink>
            <Button look={request.next === undefined ? 'primary' : 'plain'} onClick={onClose}>
              Done
            </Button>
            {request.next && (
              <ButtonLink to={request.next.to} look="primary">
                {request.next.label}
              </ButtonLink>
            )}
          </div>
        </div>
      )
    case 'failed':
      return <Failed problem={step.problem} onRetry={onRetry} onClose={onClose} />
    default:
      return <div className={css.progress} aria-hidden="true" />
  }
}

function Failed({
  problem: { title, text, advice, id, logs },
  onRetry,
  onClose,
}: {
  readonly problem: Problem
  readonly onRetry: () => void
  readonly onClose: () => void
}) {
  return (
    <div className={css.steps}>
      <div role="alert" className={css.steps}>
        <h3 className={css.bad}>{title}</h3>
        <p>{text}</p>
        <p className={css.note}>{advice}</p>
      </div>
      {logs.length > 0 && (
        <details>
          <summary>Log of the programs</summary>
          <CodeBlock code={logs.join('\n')} label="Log of the programs" />
        </details>
      )}
      <div className={css.buttons}>
        {id !== null && <ButtonLink to={`/tx/${id}`}>Open the transaction</ButtonLink>}
        <Button onClick={onClose}>{id === null ? 'Close without sending' : 'Done'}</Button>
        <Button look="primary" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </div>
  )
}
