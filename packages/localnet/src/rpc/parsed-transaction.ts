import type { Message } from '@agent-registry/solana'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import { writableKeys } from '../bank/writable-keys.ts'
import { parseInnerInstructions, parseInstruction } from './instructions/parse-instruction.ts'

/** The accounts of a transaction with their roles, as in `jsonParsed` and the detail `accounts`. */
export function parsedAccountKeys({ keys, meta }: TransactionRecord, message: Message): object[] {
  const { staticKeys, requiredSignatures } = message
  const writable = writableKeys(message, meta.loadedAddresses)
  return keys.map((pubkey, index) => ({
    pubkey,
    signer: index < requiredSignatures,
    writable: writable.has(pubkey),
    source: index < staticKeys.length ? 'transaction' : 'lookupTable',
  }))
}

/** The members `message` and `meta` in the encoding `jsonParsed`. */
export function parsedTransaction(record: TransactionRecord, message: Message) {
  const { keys } = record
  const { loadedAddresses: _, ...meta } = record.meta
  return {
    message: {
      accountKeys: parsedAccountKeys(record, message),
      recentBlockhash: message.blockhash,
      instructions: message.instructions.map((each) => parseInstruction({ ...each, stackHeight: 1 }, keys)),
    },
    meta: { ...meta, innerInstructions: parseInnerInstructions(meta.innerInstructions, keys) },
  }
}
