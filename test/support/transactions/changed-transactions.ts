import {
  type AddressLookupTableAccount,
  type Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { LIGHTHOUSE_PROGRAM, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { addresses, keyOf } from '../ledger/registry-world.ts'
import { meta, type Parties } from './parties.ts'

/** The parts of a prepared message. */
export interface Draft {
  payer: PublicKey
  blockhash: string
  instructions: TransactionInstruction[]
}

export const lighthouse = (data: number[], ...keys: TransactionInstruction['keys']): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey(LIGHTHOUSE_PROGRAM),
    keys,
    data: Buffer.from(data),
  })

/**
 * An assertion as wallets insert it. On the test ledger a program in the place of Lighthouse logs
 * an empty text.
 */
export const assertion = (...keys: TransactionInstruction['keys']): TransactionInstruction =>
  lighthouse([5, 0, 0], ...keys)

/**
 * An assertion of a program that was replaced: through the System program it moves the fee payer's
 * lamports to a writable account.
 */
export function stealingAssertion(
  { feePayer, wallet }: Pick<Parties, 'feePayer' | 'wallet'>,
  lamports: number,
): TransactionInstruction {
  const transfer = Buffer.alloc(12)
  transfer.writeUInt32LE(2)
  transfer.writeBigUInt64LE(BigInt(lamports), 4)
  const invoke = [0x49, 2, 2, 0, 3, 1, 2, 12, 0, ...transfer]
  return lighthouse(
    [5, 0, 0, ...invoke],
    meta(feePayer),
    meta(addresses.agent(keyOf(wallet))),
    meta(SYSTEM_PROGRAM),
  )
}

export function decompile(serializedTx: string): Draft {
  const { message } = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  const { payerKey, recentBlockhash, instructions } = TransactionMessage.decompile(message)
  return { payer: payerKey, blockhash: recentBlockhash, instructions }
}

export interface MessageFormat {
  legacy?: boolean
  tables?: AddressLookupTableAccount[]
}

/** Builds a changed message and signs it with the keys that are its signers. */
export function signChanged(
  serializedTx: string,
  signers: readonly Keypair[],
  change: (draft: Draft) => Partial<Draft>,
  { legacy = false, tables }: MessageFormat = {},
): string {
  const draft = decompile(serializedTx)
  const { payer, blockhash, instructions } = { ...draft, ...change(draft) }
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: blockhash, instructions })
  const compiled = legacy ? message.compileToLegacyMessage() : message.compileToV0Message(tables)
  const transaction = new VersionedTransaction(compiled)
  const required = compiled.staticAccountKeys.slice(0, compiled.header.numRequiredSignatures)
  const named = (signer: Keypair): boolean => required.some((each) => each.equals(signer.publicKey))
  transaction.sign(signers.filter(named))
  return Buffer.from(transaction.serialize()).toString('base64')
}
