import { isStaticWritable, type Message, UPGRADEABLE_LOADER } from '@agent-registry/solana'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import { parseInnerInstructions, parseInstruction } from './instructions/parse-instruction.ts'

/** The accounts of a transaction with their roles, as in `jsonParsed` and the detail `accounts`. */
export function parsedAccountKeys({ keys, meta }: TransactionRecord, message: Message): object[] {
  const { staticKeys, requiredSignatures, instructions } = message
  // A program is read-only, unless the transaction may upgrade it.
  const programs = keys.includes(UPGRADEABLE_LOADER) ? [] : instructions.map((each) => each.programIdIndex)
  return keys.map((pubkey, index) => {
    const isStatic = index < staticKeys.length
    return {
      pubkey,
      signer: index < requiredSignatures,
      writable: isStatic
        ? isStaticWritable(message, index) && !programs.includes(index)
        : meta.loadedAddresses.writable.includes(pubkey),
      source: isStatic ? 'transaction' : 'lookupTable',
    }
  })
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
