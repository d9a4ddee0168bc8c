import type {
  Address,
  Instruction as KitInstruction,
  MessageModifyingSigner,
  MessagePartialSigner,
  TransactionPartialSigner,
} from '@solana/kit'
import type { Instruction } from './program/instruction.ts'
import type { Signer } from './signers/signer.ts'
import { addSignature, parseTransaction } from './transactions/message.ts'

/** A wallet from a signer of `@solana/kit`, such as the result of `generateKeyPairSigner()`. */
export function signerFromKit(
  signer: TransactionPartialSigner & Partial<MessagePartialSigner & MessageModifyingSigner>,
): Signer {
  const { address } = signer
  return {
    address,
    signTransaction: async (transaction) => {
      const { message, keys } = parseTransaction(transaction)
      const signatures = Object.fromEntries(
        keys.filter(({ isSigner }) => isSigner).map(({ pubkey }) => [pubkey, null]),
      )
      const [added] = await signer.signTransactions([{ messageBytes: message, signatures } as never])
      return addSignature(transaction, address, added![address as Address]!)
    },
    ...(signer.signMessages && {
      signMessage: async (message: Uint8Array) => {
        const [added] = await signer.signMessages!([{ content: new Uint8Array(message), signatures: {} }])
        return added![address as Address]!
      },
    }),
  }
}

/** An instruction in the form of `@solana/kit`. */
export function toKitInstruction({ programId, keys, data }: Instruction): KitInstruction {
  return {
    programAddress: programId as Address,
    // AccountRole of kit: 1 writable, 2 signer.
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: pubkey as Address,
      role: (isSigner ? 2 : 0) + (isWritable ? 1 : 0),
    })),
    data,
  }
}
