/** `getTransaction` with encoding `json`, as far as the indexer reads it. */
export interface RpcTransaction {
  slot: number
  blockTime?: number | null
  /** Its place in the block, where the node tells it. */
  transactionIndex?: number
  transaction: {
    signatures: string[]
    message: {
      accountKeys: string[]
      header: {
        numRequiredSignatures: number
        numReadonlySignedAccounts: number
        numReadonlyUnsignedAccounts: number
      }
      instructions: RpcInstruction[]
    }
  }
  meta: {
    err: unknown
    logMessages?: string[] | null
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

/** An instruction with its keys resolved: an outer one, or one that a program invoked. */
export interface Invocation {
  programId: string
  accounts: string[]
  data: string
}

export interface OuterInvocation extends Invocation {
  /** In order of execution; null when the node recorded none for this transaction. */
  inner: Invocation[] | null
}

/** The instructions of a transaction; throws RangeError when an index points nowhere. */
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
  const recorded = meta?.innerInstructions ?? null
  return transaction.message.instructions.map((instruction, index) => ({
    ...resolve(instruction),
    inner:
      recorded === null
        ? null
        : recorded
            .filter((group) => group.index === index)
            .flatMap((group) => group.instructions.map(resolve)),
  }))
}
