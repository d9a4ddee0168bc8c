import type { Call, Transport } from './http/call.ts'
import type { FlowSettings } from './transactions/flow.ts'

/** What the parts of a registry share. */
export interface Context {
  readonly call: Call
  readonly transport: Transport
  readonly flow: FlowSettings
  /** Address of the registry program that wallets sign for. */
  readonly program: string
  /** Throws if the gateway serves another registry program than `program`. */
  checkProgram(): Promise<void>
  /** The mint of the stakes. */
  mint(): Promise<string>
}
