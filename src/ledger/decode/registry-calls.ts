import { decodeBase58, pubkey } from '@agent-registry/solana'
import { eventBytes, registryAddresses } from '@agent-registry/program'
import type { OuterInvocation } from './rpc-transaction.ts'

/** An instruction of the registry program in a transaction. */
export interface RegistryCall {
  /** Index of the outer instruction. */
  outer: number
  /** 0 for the outer instruction itself, n for the n-th instruction invoked under it. */
  inner: number
  accounts: string[]
  data: Uint8Array
  /** The event, if the instruction carries one. */
  event: Uint8Array | null
}

/** The instructions of the program in order of execution. Throws RangeError for malformed data. */
export function registryCalls(invocations: readonly OuterInvocation[], programId: string): RegistryCall[] {
  return invocations.flatMap((outer, index) =>
    [outer, ...outer.inner].flatMap((invocation, inner) => {
      if (invocation.programId !== programId) return []
      const data = decodeBase58(invocation.data)
      if (data === null) throw new RangeError('the data of an instruction is not base-58')
      return [{ outer: index, inner, accounts: invocation.accounts, data, event: eventBytes(data) }]
    }),
  )
}

let known = { programId: '', authority: '' }

/** Whether the program itself sent the event: only the program can sign for its event authority. */
export function isSentByProgram({ inner, accounts }: RegistryCall, programId: string): boolean {
  if (known.programId !== programId)
    known = { programId, authority: registryAddresses(pubkey(programId)).eventAuthority() }
  return inner > 0 && accounts[0] === known.authority
}
