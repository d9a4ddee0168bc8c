export type { DecodedValue } from './program/borsh-reader.ts'
export { type DecodedInstruction, decodeInstruction } from './program/decode-instruction.ts'
export {
  MalformedTransactionError,
  type ParsedTransaction,
  parseTransaction,
} from './transactions/message.ts'
export { fromBase64, toBase64 } from './program/bytes.ts'
