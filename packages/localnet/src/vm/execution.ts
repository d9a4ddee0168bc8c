import {
  FailedTransactionMetadata,
  type TransactionMetadata,
  type TransactionReturnData,
} from 'litesvm/dist/internal.js'
import { encodeBase58 } from '@agent-registry/solana'
import { type TransactionError, toTransactionError } from './transaction-errors.ts'

/** The result of a transaction in the VM, in the shapes of Solana's JSON-RPC. */
export type Execution = ReturnType<typeof toExecution>

export function toExecution(result: TransactionMetadata | FailedTransactionMetadata) {
  const failed = result instanceof FailedTransactionMetadata
  const meta = failed ? result.meta() : result
  const err: TransactionError | null = failed ? toTransactionError(result) : null
  return {
    err,
    logs: meta.logs(),
    innerInstructions: innerInstructions(meta),
    computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData: returnData(meta.returnData()),
  }
}

function innerInstructions(meta: TransactionMetadata) {
  const groups = meta.innerInstructions().map((group, index) => ({
    // The position of the outer instruction.
    index,
    instructions: group.map((each) => {
      const instruction = each.instruction()
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: encodeBase58(instruction.data()),
        stackHeight: each.stackHeight(),
      }
    }),
  }))
  return groups.filter(({ instructions }) => instructions.length > 0)
}

function returnData(returned: TransactionReturnData): { programId: string; data: string[] } | null {
  const data = Buffer.from(returned.data()).toString('base64')
  return data === '' ? null : { programId: encodeBase58(returned.programId()), data: [data, 'base64'] }
}
