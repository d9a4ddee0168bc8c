import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import type { LedgerView } from '../bank/ledger-view.ts'
import type { Commitment } from '../bank/block.ts'
import type { BankListener } from '../bank/events.ts'
import { accountEncoding, encodeAccount } from '../rpc/account-encoding.ts'
import { accountFilters } from '../rpc/account-filters.ts'
import type { Params } from '../rpc/params.ts'
import type { Account } from '../vm/account.ts'
import type { Subscriber } from './subscriptions.ts'

// What a node says of an account that is gone.
const GONE: Account = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(),
  executable: false,
  rentEpoch: 0n,
}

type See = (view: LedgerView, touched: ReadonlySet<Pubkey>) => void

function changesAt({ bank }: Subscriber, commitment: Commitment, see: See): BankListener {
  if (commitment === 'processed') {
    return { transactionRan: ({ slot }, touched) => see(bank.viewAt(slot), touched) }
  }
  return {
    blockReached: (reached, { block, touched }) => {
      if (reached === commitment) see(bank.viewAt(block.slot), touched)
    },
  }
}

/** accountSubscribe(key, config) */
export function subscribeAccount(subscriber: Subscriber, params: Params): number {
  const key = params.pubkey(0, 'pubkey')
  const config = params.config(1)
  const encoding = accountEncoding(config)
  const commitment = config.commitment()
  return subscriber.subscribe('account', (notify) =>
    changesAt(subscriber, commitment, (view, touched) => {
      if (!touched.has(key)) return
      const value = encodeAccount(view.account(key) ?? GONE, encoding, (other) => view.account(other))
      notify({ context: { slot: view.slot }, value })
    }),
  )
}

/** programSubscribe(program, config with filters) */
export function subscribeProgram(subscriber: Subscriber, params: Params): number {
  const program = params.pubkey(0, 'programId')
  const config = params.config(1)
  const encoding = accountEncoding(config)
  const matches = accountFilters(config)
  const commitment = config.commitment()
  return subscriber.subscribe('program', (notify) =>
    changesAt(subscriber, commitment, (view, touched) => {
      for (const pubkey of touched) {
        const account = view.account(pubkey)
        if (account?.owner !== program || !matches(account)) continue
        const encoded = encodeAccount(account, encoding, (other) => view.account(other))
        notify({ context: { slot: view.slot }, value: { pubkey, account: encoded } })
      }
    }),
  )
}
