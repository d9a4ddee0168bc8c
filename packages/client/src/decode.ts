export {
  type DecodedInstruction,
  type DecodedValue,
  decodeInstruction,
} from './program/decode-instruction.ts'
export {
  MalformedTransactionError,
  type ParsedTransaction,
  parseTransaction,
} from './transactions/message.ts'
export { fromBase64, toBase64 } from '@agent-registry/solana/wire'
