import {
  type Connection,
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import type { Pubkey } from '@agent-registry/solana'
import { createLocalnetRpc } from '../../ledger/rpc/ledger-rpc.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { chunksOf } from '../../platform/async/promises.ts'

const STATUS_BATCH = 256
const CONFIRM_TIMEOUT_MS = 60_000

export interface Job {
  instructions: TransactionInstruction[]
  signers: Keypair[]
}

export type TransactionSender = ReturnType<typeof createTransactionSender>

/**
 * Sends jobs as v0 transactions paid by `payer`, and waits until all are confirmed. `advance` runs
 * while waiting: a localnet in this process can produce its next slot at once.
 */
export function createTransactionSender(
  connection: Connection,
  payer: Keypair,
  advance: () => Promise<void>,
) {
  const sendOne = async ({ instructions, signers }: Job, recentBlockhash: string): Promise<string> => {
    const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions })
    const transaction = new VersionedTransaction(message.compileToV0Message())
    transaction.sign([payer, ...signers])
    return connection.sendTransaction(transaction, { preflightCommitment: 'processed' })
  }
  return {
    send: async (jobs: readonly Job[]): Promise<void> => {
      if (jobs.length === 0) return
      const { blockhash } = await connection.getLatestBlockhash('processed')
      const signatures: string[] = []
      for (const job of jobs) signatures.push(await sendOne(job, blockhash))
      await untilConfirmed(connection, signatures, advance)
    },
  }
}

/** Waits until every signature is confirmed. Throws if one fails or takes longer than 60 s. */
export async function untilConfirmed(
  connection: Connection,
  signatures: string[],
  advance: () => Promise<void>,
): Promise<void> {
  let open = signatures
  for (const deadline = Date.now() + CONFIRM_TIMEOUT_MS; open.length > 0; await advance()) {
    const stillOpen: string[] = []
    for (const batch of chunksOf(open, STATUS_BATCH)) {
      // Each of many calls advances the ledger, and nodes keep only recent statuses at hand.
      const { value } = await connection.getSignatureStatuses(batch, { searchTransactionHistory: true })
      for (const [index, status] of value.entries()) {
        const signature = batch[index] ?? ''
        if (status?.err) throw new Error(`${signature} failed: ${JSON.stringify(status.err)}`)
        if (status === null || status.confirmationStatus === 'processed') stillOpen.push(signature)
      }
    }
    open = stillOpen
    if (Date.now() > deadline)
      throw new OperatorError(`${open.length} transaction(s) not confirmed after 60 s`)
  }
}

export type LocalnetFaucet = ReturnType<typeof localnetFaucet>

/**
 * Gives SOL and USDC to wallets, and returns the signature of the gift. Moves the clock of the
 * localnet.
 */
export function localnetFaucet(connection: Connection, rpcUrl: string, advance: () => Promise<void>) {
  const rpc = createLocalnetRpc(rpcUrl)
  return {
    airdrop: async (owner: Pubkey, lamports: bigint): Promise<string> => {
      const signature = await rpc.call<string>('requestAirdrop', [owner, Number(lamports)])
      await untilConfirmed(connection, [signature], advance)
      return signature
    },
    mintUsdc: async (owner: Pubkey, amount: bigint): Promise<string> => {
      const signature = await rpc.call<string>('localnet_mintUsdc', [owner, String(amount)])
      await untilConfirmed(connection, [signature], advance)
      return signature
    },
    /** Moves the ledger's clock forward. */
    warp: async (seconds: number): Promise<void> => {
      await rpc.call('localnet_warp', [seconds])
      await advance()
    },
    /** The ledger's clock, Unix seconds. */
    now: async (): Promise<number> => {
      const slot = await connection.getSlot('processed')
      return (await connection.getBlockTime(slot)) ?? 0
    },
  }
}
