import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { simulate } from '../relay/simulate.ts'

/** What a transaction would do to the fee payer now. Lamports. Meaningless unless `err` is null. */
export interface Outflow {
  /** As the node reports it. Null for success. */
  readonly err: unknown
  readonly logs: readonly string[]
  readonly lost: bigint
  readonly balanceAfter: bigint
  /** Whether the System program still owns the fee payer's account, without data. */
  readonly isPlainAfter: boolean
  /** The account `creates` after the transaction. */
  readonly created: { readonly owner: Pubkey; readonly bytes: number } | null
}

/** Simulates the transaction without its signatures. Throws LedgerRpcError if no node responds. */
export async function simulateOutflow(
  rpc: LedgerCalls,
  transaction: string,
  { feePayer, creates }: { feePayer: Pubkey; creates: string | null },
): Promise<Outflow> {
  const addresses = creates === null ? [feePayer] : [feePayer, creates]
  let simulation = await simulate(rpc, transaction, addresses)
  let [balanceBefore] = simulation.preBalances
  if (simulation.err === null && balanceBefore === undefined) {
    // The node does not report balances before the simulation. Income between the two calls can
    // only hide a loss that `checkMessage` allows.
    const balance = await rpc.call<{ value: number }>('getBalance', [feePayer, { commitment: 'confirmed' }])
    balanceBefore = balance.value
    simulation = await simulate(rpc, transaction, addresses)
  }
  const { err, logs } = simulation
  const [payer, created] = simulation.accounts
  const balanceAfter = BigInt(payer?.lamports ?? 0)
  return {
    err,
    logs,
    lost: BigInt(balanceBefore ?? 0) - balanceAfter,
    balanceAfter,
    isPlainAfter: payer?.owner === SYSTEM_PROGRAM && payer.data[0] === '',
    created: created ? { owner: created.owner, bytes: Buffer.from(created.data[0], 'base64').length } : null,
  }
}
