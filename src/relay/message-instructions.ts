import { type Message, parseMessage, type Pubkey } from '@agent-registry/solana'
import type { TransactionRecord } from './record.ts'

export interface InstructionAccount {
  readonly pubkey: Pubkey
  readonly isSigner: boolean
  readonly isWritable: boolean
}

/** An instruction of a message, with its accounts by address. */
export interface MessageInstruction {
  readonly programId: Pubkey
  readonly accounts: readonly InstructionAccount[]
  /** Base64. */
  readonly data: string
}

/** The addresses that a node read from the lookup tables of a transaction. */
export interface LoadedAddresses {
  readonly writable: readonly Pubkey[]
  readonly readonly: readonly Pubkey[]
}

/** All accounts of a message in order, first its own, then those of lookup tables. */
export function messageAccounts(message: Message, loaded?: LoadedAddresses | null): InstructionAccount[] {
  const { staticKeys, requiredSignatures, readonlySigned, readonlyUnsigned } = message
  const { writable, readonly: fixed } = loaded ?? { writable: [], readonly: [] }
  return [
    ...staticKeys.map((pubkey, i) => {
      const isSigner = i < requiredSignatures
      const end = isSigner ? requiredSignatures - readonlySigned : staticKeys.length - readonlyUnsigned
      return { pubkey, isSigner, isWritable: i < end }
    }),
    ...writable.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    ...fixed.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })),
  ]
}

export function preparedInstructions({ message }: TransactionRecord): MessageInstruction[] {
  return messageInstructions(parseMessage(Buffer.from(message, 'base64')))
}

/** Accounts of lookup tables are left out if the addresses of the tables are not given. */
export function messageInstructions(message: Message, loaded?: LoadedAddresses | null): MessageInstruction[] {
  const keys = messageAccounts(message, loaded)
  return message.instructions.map(({ programIdIndex, accounts, data }) => ({
    // A program is never in a lookup table.
    programId: keys[programIdIndex]!.pubkey,
    accounts: [...accounts].flatMap((index) => keys[index] ?? []),
    data: Buffer.from(data).toString('base64'),
  }))
}
