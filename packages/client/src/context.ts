import type { Call, Transport } from './http/call.ts'
import type { Instruction } from './program/instruction.ts'
import type { Signer } from './signers/signer.ts'
import type { SendOptions, Sponsorship } from './transactions/flow.ts'
import type { Transaction } from './transactions/outcome.ts'

/** What the parts of a registry share. */
export interface Context {
  readonly call: Call
  readonly transport: Transport
  /** Address of the registry program that wallets sign for. */
  readonly program: string
  /** Sends an instruction of `program`. Throws if the gateway serves another registry program. */
  readonly send: (
    instruction: Instruction,
    signer: Signer,
    options?: SendOptions & { readonly sponsorship?: Sponsorship },
  ) => Promise<Transaction>
  /** The mint of the stakes. */
  mint(): Promise<string>
}
