/** One entry of `getSignaturesForAddress`. */
export interface SignatureInfo {
  signature: string
  slot: number
  err: unknown
  confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null
  transactionIndex?: number
}

/** `getTransaction` with encoding `json`: the members that the indexer reads. */
export interface RpcTransaction {
  slot: number
  /** The index in the block. Not all nodes send it. */
  transactionIndex?: number
  version?: 'legacy' | number
  transaction: {
    signatures?: string[]
    message: {
      header?: {
        numRequiredSignatures: number
        numReadonlySignedAccounts: number
        numReadonlyUnsignedAccounts: number
      }
      accountKeys: string[]
      recentBlockhash?: string
      instructions: RpcInstruction[]
      addressTableLookups?: unknown[]
    }
  }
  meta: {
    err: unknown
    logMessages?: string[] | null
    /** Null if the node does not record them. */
    innerInstructions?: { index: number; instructions: RpcInstruction[] }[] | null
    loadedAddresses?: { writable: string[]; readonly: string[] } | null
  } | null
}

export interface RpcInstruction {
  programIdIndex: number
  accounts: number[]
  /** base-58. */
  data: string
}

/** An instruction with its account keys resolved. */
export interface Invocation {
  programId: string
  accounts: string[]
  data: string
}

export interface OuterInvocation extends Invocation {
  /** The instructions that it invoked, in order of execution. */
  inner: Invocation[]
}

/**
 * Whether the node has the outcome of the transaction, and the inner instructions if it succeeded.
 */
export const isComplete = ({ meta }: { meta?: RpcTransaction['meta'] }): boolean =>
  meta !== null && meta !== undefined && (meta.err !== null || Array.isArray(meta.innerInstructions))

/** The instructions of a transaction. Throws RangeError if an account index does not exist. */
export function invocationsOf({ transaction, meta }: RpcTransaction): OuterInvocation[] {
  const keys = [
    ...transaction.message.accountKeys,
    ...(meta?.loadedAddresses?.writable ?? []),
    ...(meta?.loadedAddresses?.readonly ?? []),
  ]
  const keyAt = (index: number): string => {
    const key = keys[index]
    if (key === undefined) throw new RangeError(`account index ${index} of ${keys.length}`)
    return key
  }
  const resolve = (instruction: RpcInstruction): Invocation => ({
    programId: keyAt(instruction.programIdIndex),
    accounts: instruction.accounts.map(keyAt),
    data: instruction.data,
  })
  const groups = meta?.innerInstructions ?? []
  const innerAt = (index: number): Invocation[] =>
    groups.filter((group) => group.index === index).flatMap((group) => group.instructions.map(resolve))
  return transaction.message.instructions.map((instruction, index) => ({
    ...resolve(instruction),
    inner: innerAt(index),
  }))
}
