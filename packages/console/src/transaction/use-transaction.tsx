import type { Registry, Signer, Transaction } from '@agent-registry/client'
import { type ReactNode, useRef, useState } from 'react'
import { useClient, useQuery } from 'urql'
import { ConsoleInfoDocument } from '../api/service.generated.ts'
import { useAccount } from '../wallet/account.tsx'
import { WalletBalanceDocument } from './balance.generated.ts'
import type { Hints } from './costs.ts'
import { CancelledError, problemOf, type Problem } from './problem.ts'
import { TransactionDialog } from './transaction-dialog.tsx'

export interface TransactionRequest {
  /** What the reader asked for: "Deposit 100 USDC". */
  readonly title: string
  /** Sends it with `packages/client`, which checks what the gateway prepared. */
  readonly send: (registry: Registry, signer: Signer) => Promise<Transaction>
  readonly hints?: Hints
  /** Called when the reader closes the dialog of a confirmed transaction. */
  readonly onDone?: () => void
  /** Where to go when it is confirmed. */
  readonly next?: { readonly to: string; readonly label: string }
}

export type Step =
  | { readonly name: 'preparing' | 'signing' | 'sending' }
  | { readonly name: 'review'; readonly bytes: Uint8Array; readonly answer: (sign: boolean) => void }
  | { readonly name: 'confirmed'; readonly transaction: Transaction }
  | { readonly name: 'failed'; readonly problem: Problem }

/**
 * Sends transactions with a review before each signature. The client calls `signTransaction` only
 * with bytes that contain exactly the requested instructions; the review shows these bytes.
 */
export function useTransaction(): {
  readonly start: (request: TransactionRequest) => void
  readonly dialog: ReactNode
} {
  const account = useAccount()
  const client = useClient()
  const [{ data }] = useQuery({ query: ConsoleInfoDocument })
  const [shown, setShown] = useState<{ request: TransactionRequest; step: Step } | null>(null)
  const run = useRef(0)
  const program = data?.info.program

  const start = (request: TransactionRequest): void => {
    const current = ++run.current
    const show = (step: Step): void => {
      if (run.current === current) setShown({ request, step })
    }
    void follow(request, show, () => run.current === current)
  }

  const follow = async (
    request: TransactionRequest,
    show: (step: Step) => void,
    isOpen: () => boolean,
  ): Promise<void> => {
    const { signer } = account
    if (signer === null) return
    let signed = false
    show({ name: 'preparing' })
    const reviewing: Signer = {
      address: signer.address,
      signTransaction: async (bytes) => {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        show({ name: 'review', bytes, answer: resolve })
        if (!(await promise)) throw new CancelledError('Cancelled')
        show({ name: 'signing' })
        const result = await signer.signTransaction(bytes)
        // Closed meanwhile: do not send what the reader turned away from.
        if (!isOpen()) throw new CancelledError('Cancelled')
        signed = true
        show({ name: 'sending' })
        return result
      },
    }
    try {
      const transaction = await request.send(await account.registry(program), reviewing)
      show({ name: 'confirmed', transaction })
      const wallet = { wallet: signer.address }
      // Also where the page shows the balance.
      await client.query(WalletBalanceDocument, wallet, { requestPolicy: 'network-only' })
    } catch (error) {
      if (error instanceof CancelledError) return
      else show({ name: 'failed', problem: problemOf(error, signed) })
    }
  }

  const close = (): void => {
    const step = shown?.step
    run.current += 1
    setShown(null)
    if (step?.name === 'review') step.answer(false)
    if (step?.name === 'confirmed') shown?.request.onDone?.()
  }
  const dialog =
    shown === null || account.signer === null || program === undefined ? null : (
      <TransactionDialog
        {...shown}
        wallet={{ address: account.signer.address, name: account.walletName ?? 'your wallet' }}
        program={program}
        onRetry={() => start(shown.request)}
        onClose={close}
      />
    )
  return { start, dialog }
}
