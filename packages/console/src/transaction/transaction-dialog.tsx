import type { ReactNode } from 'react'
import { Address, Button, ButtonLink, CodeBlock, Dialog, withCommas } from '../ui/index.ts'
import type { Problem } from './problem.ts'
import { Review } from './review.tsx'
import { isFollowed, mayPrepareAgain, type State, type Unknown } from './state.ts'
import type { Flow, TransactionRequest, Transactions } from './transactions.ts'

interface TransactionDialogProps {
  readonly flow: Flow
  readonly transactions: Transactions
  readonly blockHeight: number | null
}

const WAITING: Partial<Record<State['name'], string>> = {
  draft: 'The gateway prepares the transaction and tries it without sending it.',
  signing: 'Confirm it in your wallet.',
  submitting: 'The transaction is on its way to the ledger.',
}

/** The pressed button is gone. Keyboards and screen readers start at the new step. */
function focus(content: HTMLElement | null): void {
  // The title stays in view.
  content?.focus({ preventScroll: true })
}

/** The steps of a transaction: prepare, review, sign, follow. */
export function TransactionDialog(props: TransactionDialogProps) {
  const { transactions, flow } = props
  const { key, title, state, isStored, origin, wallet } = flow
  const step = state.name === 'draft' && state.problem !== null ? 'stopped' : state.name
  return (
    <Dialog title={title} onClose={() => transactions.close(key)}>
      <div className="stack">
        <p className="note" role="status">
          {step === 'stopped' ? '' : WAITING[state.name]}
        </p>
        {origin === null && (
          <p className="note">
            The wallet <Address value={wallet} label="wallet address" /> signed it before this page was
            loaded.
          </p>
        )}
        {isFollowed(state) && (
          <p className="note">
            {isStored
              ? 'You may close this, or reload the page: it keeps asking until the outcome is known.'
              : 'Keep this page open. Your browser lets it store nothing, so a reload would lose this transaction.'}
          </p>
        )}
        <div key={step} className="stack" ref={focus} tabIndex={-1}>
          <StepContent {...props} />
        </div>
      </div>
    </Dialog>
  )
}

function StepContent({ flow, transactions, blockHeight }: TransactionDialogProps) {
  const { key, state, origin } = flow
  const onClose = (): void => transactions.close(key)
  const again = origin !== null && mayPrepareAgain(state) ? () => transactions.startAgain(flow) : null
  if ('problem' in state && state.problem !== null)
    return <Failed problem={state.problem} again={again} onClose={onClose} />
  if (state.name === 'unknown') return <Unsure state={state} blockHeight={blockHeight} onClose={onClose} />
  if (state.name === 'landed') return <Landed {...state} target={origin?.request.next} onClose={onClose} />
  if ('prepared' in state && state.prepared !== null && state.name !== 'signing')
    return (
      <Review
        {...{ prepared: state.prepared, flow, blockHeight, again, onClose }}
        onSign={() => transactions.sign(key)}
      />
    )
  return <progress style={{ width: '100%' }} aria-hidden="true" />
}

const CHANCES: Record<Unknown['chance'], string> = {
  'can land':
    'Your wallet has signed it, so it may have landed, or may still land. Do not do the same again before its outcome is known.',
  passed: 'No new block can contain it. This page asks whether an earlier one does.',
  lost: 'It can no longer land. The gateway cannot say whether it landed before. Look at your agent and your balance before you do the same again.',
}

interface EndProps {
  /** Of the transaction, if it was signed. */
  readonly id: string | null
  readonly children: ReactNode
}

const End = ({ id, children }: EndProps) => (
  <div className="row">
    {id !== null && <ButtonLink to={`/tx/${id}`}>Open the transaction</ButtonLink>}
    {children}
  </div>
)

interface UnsureProps extends Pick<TransactionDialogProps, 'blockHeight'> {
  readonly state: Unknown
  readonly onClose: () => void
}

/** Signed, and nobody knows whether it landed. It offers no other attempt. */
function Unsure({ state: { unfinished, refusal, chance }, blockHeight, onClose }: UnsureProps) {
  const { id, lastValidBlockHeight } = unfinished
  const left = blockHeight === null ? null : lastValidBlockHeight - blockHeight
  return (
    <>
      <div role="alert" className="stack">
        <h3>{refusal?.title ?? 'The outcome is not known yet'}</h3>
        {refusal !== null && <p>{refusal.text}</p>}
        <p>{CHANCES[chance]}</p>
      </div>
      {chance === 'can land' && left !== null && (
        <p className="note">It can land in the next {withCommas(Math.max(left, 0))} blocks.</p>
      )}
      {chance !== 'lost' && <progress style={{ width: '100%' }} aria-hidden="true" />}
      <End id={id}>
        <Button onClick={onClose}>{chance === 'lost' ? 'I have checked it' : 'Close'}</Button>
      </End>
    </>
  )
}

interface LandedProps extends Extract<State, { name: 'landed' }> {
  /** Where to go then. */
  readonly target: TransactionRequest['next']
  readonly onClose: () => void
}

function Landed({ transaction: { id, slot, signature }, target, onClose }: LandedProps) {
  return (
    <>
      <p role="status">
        <strong className="good">Confirmed</strong> in slot {slot === null ? 'unknown' : withCommas(slot)}.
      </p>
      <p className="note">
        Signature <Address value={signature ?? ''} label="signature" />
      </p>
      <End id={id}>
        {target === undefined ? (
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <ButtonLink to={target.to} look="primary">
            {target.label}
          </ButtonLink>
        )}
      </End>
    </>
  )
}

interface FailedProps {
  readonly problem: Problem
  /** Prepares a new one. */
  readonly again: (() => void) | null
  readonly onClose: () => void
}

/** It did not happen. */
function Failed({ problem: { title, text, advice, id, logs, isLasting }, again, onClose }: FailedProps) {
  return (
    <>
      <div role="alert" className="stack">
        <h3 className="bad">{title}</h3>
        <p>{text}</p>
        <p className="note">{advice}</p>
      </div>
      {logs.length > 0 && (
        <details>
          <summary>Log of the programs</summary>
          <CodeBlock code={logs.join('\n')} label="Log of the programs" />
        </details>
      )}
      <End id={id}>
        <Button look={isLasting ? 'primary' : 'plain'} onClick={onClose}>
          {id === null ? 'Close without sending' : 'Done'}
        </Button>
        {again && (
          <Button look={isLasting ? 'plain' : 'primary'} onClick={again}>
            Try again
          </Button>
        )}
      </End>
    </>
  )
}
