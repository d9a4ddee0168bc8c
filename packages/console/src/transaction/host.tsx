import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../ui/index.ts'
import type { State } from './state.ts'
import { TransactionDialog } from './transaction-dialog.tsx'
import css from './transaction.module.css'
import type { Transactions } from './transactions.ts'

const WORDS: Partial<Record<State['name'], string>> = {
  submitting: 'On its way to the ledger.',
  unknown: 'It is signed, and its outcome is not known yet. This page keeps asking.',
  landed: 'Confirmed.',
  failed: 'Failed.',
  expired: 'Expired. It can no longer land.',
}

function wordsOf(state: State): string | undefined {
  const isLost = state.name === 'unknown' && state.chance === 'lost'
  return isLost ? 'The gateway cannot say whether it landed.' : WORDS[state.name]
}

/** The dialog of the shown transaction, and a banner for each other one. */
export function Host({ transactions }: { readonly transactions: Transactions }) {
  const { flows, shown, blockHeight } = useSyncExternalStore(transactions.subscribe, transactions.snapshot)
  const [path] = useLocation()
  const shownOn = useRef(path)
  // The dialog belongs to the page that it was opened on.
  useEffect(() => {
    const { shown: current } = transactions.snapshot()
    if (shownOn.current !== path && current !== null) transactions.close(current)
    shownOn.current = path
  }, [transactions, path])
  const flow = flows.find(({ key }) => key === shown)
  const others = flows.filter(({ key }) => key !== shown)
  return (
    <>
      {others.length > 0 && (
        <div className={css.banner} role="status" aria-label="Transactions">
          {others.map(({ key, title, state }) => (
            <div key={key} className="spread">
              <span>
                <strong>{title}</strong>
                <span className="note">{wordsOf(state)}</span>
              </span>
              <Button small onClick={() => transactions.show(key)}>
                Show
              </Button>
            </div>
          ))}
        </div>
      )}
      {flow && (
        <TransactionDialog key={flow.key} flow={flow} transactions={transactions} blockHeight={blockHeight} />
      )}
    </>
  )
}
