import {
  AccountRole,
  type AccountMeta,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  partiallySignTransaction,
  compileTransaction,
} from '@solana/kit'
import type { Keypair, TransactionInstruction } from '@solana/web3.js'

type TransactionConfig = Parameters<typeof setTransactionMessageConfig>[0]

export interface V1Options {
  readonly blockhash: string
  /** The first one pays. */
  readonly signers: readonly Keypair[]
  readonly config?: TransactionConfig | undefined
}

export async function v1Transaction(
  instructions: readonly TransactionInstruction[],
  { blockhash, signers, config }: V1Options,
): Promise<Uint8Array> {
  const [payer] = signers
  if (payer === undefined) throw new Error('a transaction needs a fee payer')
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n }
  const empty = setTransactionMessageConfig(
    { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_000_000, ...config },
    createTransactionMessage({ version: 1 }),
  )
  const message = appendTransactionMessageInstructions(
    instructions.map(toKit),
    setTransactionMessageLifetimeUsingBlockhash(
      lifetime,
      setTransactionMessageFeePayer(address(payer.publicKey.toBase58()), empty),
    ),
  )
  const keys = await Promise.all(
    signers.map(async ({ secretKey }) => (await createKeyPairSignerFromBytes(secretKey)).keyPair),
  )
  const transaction = await partiallySignTransaction(keys, compileTransaction(message))
  return Uint8Array.from(getTransactionEncoder().encode(transaction))
}

const ROLES = {
  signer: { writable: AccountRole.WRITABLE_SIGNER, readonly: AccountRole.READONLY_SIGNER },
  other: { writable: AccountRole.WRITABLE, readonly: AccountRole.READONLY },
}

function toKit({ programId, keys, data }: TransactionInstruction): Instruction {
  const accounts: AccountMeta[] = keys.map(({ pubkey, isSigner, isWritable }) => ({
    address: address(pubkey.toBase58()),
    role: ROLES[isSigner ? 'signer' : 'other'][isWritable ? 'writable' : 'readonly'],
  }))
  return { programAddress: address(programId.toBase58()), accounts, data: Uint8Array.from(data) }
}
