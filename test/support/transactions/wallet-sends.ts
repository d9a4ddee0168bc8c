import { ComputeBudgetProgram, Keypair, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import { signChanged } from './changed-transactions.ts'
import type { Prepared, RelayWorld } from './relay-world.ts'

/** A transfer of 0.001 SOL to a new wallet. */
export const transferFrom = ({ publicKey }: Keypair): TransactionInstruction =>
  SystemProgram.transfer({
    fromPubkey: publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: 1_000_000,
  })

/** What a wallet does in signAndSendTransaction. Returns the signature. */
export async function sendByWallet(
  { connection, localnet }: RelayWorld,
  serialized: string,
): Promise<string> {
  const bytes = Buffer.from(serialized, 'base64')
  const signature = await connection.sendRawTransaction(bytes, { skipPreflight: true })
  localnet.stepSlot()
  return signature
}

/** The version that a wallet with its own priority fee sends, signed. */
export const withPrice = (prepared: Prepared, microLamports: number, signer: Keypair): string =>
  version(prepared, signer, (instructions) =>
    instructions.with(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports })),
  )

/** The version that a wallet sends, signed. */
export const version = (
  { serializedTx }: Prepared,
  signer: Keypair,
  change: (instructions: TransactionInstruction[]) => TransactionInstruction[],
): string =>
  signChanged(serializedTx, [signer], ({ instructions }) => ({ instructions: change(instructions) }))
