import { FailedTransactionMetadata, type TransactionMetadata } from 'litesvm/dist/internal.js'
import bs58 from 'bs58'
import { type TransactionError, toTransactionError } from './transaction-errors.ts'

export interface InnerInstructions {
  /** The position of the outer instruction. */
  readonly index: number
  readonly instructions: readonly {
    readonly programIdIndex: number
    readonly accounts: readonly number[]
    /** Base-58. */
    readonly data: string
    readonly stackHeight: number
  }[]
}

export interface ReturnData {
  readonly programId: string
  readonly data: readonly [string, 'base64']
}

/** The result of a transaction in the VM, in the shapes of Solana's JSON-RPC. */
export interface Execution {
  readonly err: TransactionError | null
  readonly logs: readonly string[]
  readonly innerInstructions: readonly InnerInstructions[]
  readonly computeUnitsConsumed: number
  readonly returnData: ReturnData | null
}

export function toExecution(result: TransactionMetadata | FailedTransactionMetadata): Execution {
  const failed = result instanceof FailedTransactionMetadata
  const meta = failed ? result.meta() : result
  const returned = meta.returnData()
  const data = Buffer.from(returned.data()).toString('base64')
  return {
    err: failed ? toTransactionError(result.err()) : null,
    logs: meta.logs(),
    innerInstructions: innerInstructions(meta),
    computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData: data === '' ? null : { programId: bs58.encode(returned.programId()), data: [data, 'base64'] },
  }
}

function innerInstructions(meta: TransactionMetadata): InnerInstructions[] {
  const groups = meta.innerInstructions().map((group, index) => ({
    index,
    instructions: group.map((each) => {
      const instruction = each.instruction()
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: bs58.encode(instruction.data()),
        stackHeight: each.stackHeight(),
      }
    }),
  }))
  return groups.filter(({ instructions }) => instructions.length > 0)
}
