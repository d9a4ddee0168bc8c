import document from '../../idl.json' with { type: 'json' }

export type IdlType =
  | 'bool'
  | 'u8'
  | 'u16'
  | 'i16'
  | 'u32'
  | 'u64'
  | 'i64'
  | 'string'
  | 'pubkey'
  | { option: IdlType }
  | { array: [IdlType, number] }
  | { defined: { name: string } }

export interface IdlField {
  name: string
  type: IdlType
}

export interface IdlSeed {
  kind: 'const' | 'account'
  value?: number[]
  path?: string
}

export interface IdlAccountMeta {
  name: string
  writable?: true
  signer?: true
  /** A fixed address, such as the System program's. */
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

export interface IdlTypeDef {
  name: string
  type: { kind: 'struct'; fields: IdlField[] } | { kind: 'enum'; variants: { name: string }[] }
}

/** The Anchor IDL (spec 0.1.0), as far as this program uses it. */
export interface Idl {
  address: string
  instructions: IdlInstruction[]
  accounts: { name: string; discriminator: number[] }[]
  events: { name: string; discriminator: number[] }[]
  errors: { code: number; name: string; msg: string }[]
  types: IdlTypeDef[]
}

/** The registry program's interface: the one source for layouts. */
export const registryIdl = document as unknown as Idl
