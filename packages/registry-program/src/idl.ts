import type { Pubkey } from '@agent-registry/solana'
import type { PRIMITIVES } from '@agent-registry/solana/borsh'
import document from '../idl.json' with { type: 'json' }

export type IdlType =
  | keyof typeof PRIMITIVES
  | { option: IdlType }
  | { array: [IdlType, number] }
  | { defined: { name: string } }

export interface IdlField {
  name: string
  type: IdlType
}

type IdlSeed = { kind: 'const'; value: number[] } | { kind: 'account'; path: string }

export interface IdlAccountMeta {
  name: string
  writable?: true
  signer?: true
  /** A fixed address, such as that of the System program. */
  address?: string
  pda?: { seeds: IdlSeed[] }
}

export interface IdlInstruction {
  name: string
  docs?: string[]
  discriminator: number[]
  accounts: IdlAccountMeta[]
  args: IdlField[]
}

interface IdlTypeDef {
  name: string
  type: { kind: 'struct'; fields: IdlField[] } | { kind: 'enum'; variants: { name: string }[] }
}

/** The parts of an Anchor IDL (spec 0.1.0) that this program uses. */
export interface Idl {
  address: string
  instructions: IdlInstruction[]
  accounts: { name: string; discriminator: number[] }[]
  events: { name: string; discriminator: number[] }[]
  errors: { code: number; name: string; msg: string }[]
  types: IdlTypeDef[]
}

/** `agentCardUrl` for `agent_card_url`, and `dataAnalysis` for `DataAnalysis`. */
export function camelCase(name: string): string {
  return name
    .replace(/^[A-Z]/, (c) => c.toLowerCase())
    .replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase())
}

/** The interface of the registry program: the only source of its layouts. */
export const registryIdl = document as unknown as Idl

/** The IDL of the program at this address. All members are those of `idl.json`. */
export function idlOf(programId: Pubkey): Idl {
  return { ...registryIdl, address: programId }
}
