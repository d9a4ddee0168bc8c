import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/** How a transaction would leave the fee payer now. Lamports. */
export interface Outflow {
  /** As the ledger says it; null for success. */
  readonly err: unknown
  readonly logs: readonly string[]
  readonly lost: bigint
  readonly balanceAfter: bigint
  /** Whether the fee payer is still a plain wallet: of the System program, without data. */
  readonly plainAfter: boolean
  /** Owner and size of the account that was asked for too. */
  readonly created: { readonly owner: Pubkey; readonly bytes: number } | null
}

interface Answer {
  value: {
    err: unknown
    logs: string[] | null
    accounts: ({ lamports: number; owner: Pubkey; data: [string, string] } | null)[] | null
    /** Since Agave 3.0. */
    preBalances?: number[] | null
  }
}

const INVALID_PARAMS = -32_602

/** Runs the transaction at `confirmed`, unsigned where signatures are to come. Throws LedgerRpcError where the node does not answer. */
export async function simulateOutflow(
  rpc: LedgerCalls,
  transaction: string,
  { feePayer, creates }: { feePayer: Pubkey; creates: Pubkey | null },
): Promise<Outflow> {
  const addresses = creates === null ? [feePayer] : [feePayer, creates]
  const config = {
    encoding: 'base64',
    sigVerify: false,
    replaceRecentBlockhash: false,
    commitment: 'confirmed',
    accounts: { encoding: 'base64', addresses },
  }
  const simulate = () => rpc.call<Answer>('simulateTransaction', [transaction, config])
  try {
    const { value } = await simulate()
    const [before] = value.preBalances ?? []
    if (value.err !== null || before !== undefined) return outflow(value, before ?? 0)
    // A node that does not tell what was there before the simulation. Income between the two calls hides no loss that `checkMessage` allows.
    const asked = await rpc.call<{ value: number }>('getBalance', [feePayer, { commitment: 'confirmed' }])
    return outflow((await simulate()).value, asked.value)
  } catch (error) {
    if (error instanceof LedgerRpcError && error.kind === 'rpc' && error.code === INVALID_PARAMS)
      return { ...NOTHING, err: 'SanitizeFailure' }
    throw error
  }
}

const NOTHING = { logs: [], lost: 0n, balanceAfter: 0n, plainAfter: false, created: null } as const

function outflow({ err, logs, accounts }: Answer['value'], before: number): Outflow {
  if (err !== null) return { ...NOTHING, err, logs: logs ?? [] }
  const [payer, created] = accounts ?? []
  const balanceAfter = BigInt(payer?.lamports ?? 0)
  return {
    err,
    logs: logs ?? [],
    lost: BigInt(before) - balanceAfter,
    balanceAfter,
    plainAfter: payer?.owner === SYSTEM_PROGRAM && payer.data[0] === '',
    created: created ? { owner: created.owner, bytes: Buffer.from(created.data[0], 'base64').length } : null,
  }
}
