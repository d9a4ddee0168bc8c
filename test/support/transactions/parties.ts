import { type Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js'
import type { Pubkey } from '@agent-registry/solana'
import { registryInstruction } from '@agent-registry/program'
import { addresses, keyOf, programId, registrationArgs } from '../ledger/registry-world.ts'

/** The keys in an attack: the fee payer, the requesting wallet, and a third party. */
export interface Parties {
  readonly feePayer: Pubkey
  readonly wallet: Keypair
  readonly stranger: Keypair
}

export type Meta = TransactionInstruction['keys'][number]

export const publicKey = (key: Pubkey | string): PublicKey => new PublicKey(key)
export const meta = (pubkey: PublicKey | string, flags: Partial<Meta> = {}): Meta => ({
  pubkey: new PublicKey(pubkey),
  isSigner: false,
  isWritable: false,
  ...flags,
})

/** register_agent of the wallet, paid by the fee payer. */
export function sponsoredRegistration(
  { feePayer, wallet }: Pick<Parties, 'feePayer' | 'wallet'>,
  args: Record<string, unknown> = {},
): TransactionInstruction {
  return registrationOf(keyOf(wallet), feePayer, args)
}

export function registrationOf(
  owner: Pubkey,
  feePayer: Pubkey,
  args: Record<string, unknown> = {},
): TransactionInstruction {
  return registryInstruction(
    programId,
    'register_agent',
    { payer: feePayer, owner, agent: addresses.agent(owner) },
    { ...registrationArgs('Sponsored'), ...args },
  )
}

/**
 * An instruction for the wallet's own agent. Accounts that follow from the wallet are filled in.
 */
export function ownInstruction(
  wallet: Keypair,
  name: string,
  accounts: Record<string, Pubkey> = {},
  args: Record<string, unknown> = {},
): TransactionInstruction {
  const owner = keyOf(wallet)
  const agent = addresses.agent(owner)
  return registryInstruction(
    programId,
    name,
    { owner, authority: owner, payer: owner, agent, ...accounts },
    args,
  )
}

const UNCHANGED = {
  name: null,
  serviceCategory: null,
  capabilities: null,
  version: null,
  agentCardUrl: null,
  agentCardHash: null,
}

export function update(
  wallet: Keypair,
  args: Record<string, unknown> = { version: '1.1' },
): TransactionInstruction {
  return ownInstruction(wallet, 'update_agent', {}, { ...UNCHANGED, ...args })
}

export function altered(
  instruction: TransactionInstruction,
  change: { programId?: PublicKey; data?: Uint8Array; keys?: (keys: Meta[]) => Meta[] },
): TransactionInstruction {
  const keys = instruction.keys.map((each) => ({ ...each }))
  return new TransactionInstruction({
    programId: change.programId ?? instruction.programId,
    keys: change.keys?.(keys) ?? keys,
    data: Buffer.from(change.data ?? instruction.data),
  })
}

export const withAccount = (
  instruction: TransactionInstruction,
  at: number,
  change: Partial<Meta>,
): TransactionInstruction =>
  altered(instruction, { keys: (keys) => keys.map((each, i) => (i === at ? { ...each, ...change } : each)) })

export const withMore = (instruction: TransactionInstruction, ...more: Meta[]): TransactionInstruction =>
  altered(instruction, { keys: (keys) => [...keys, ...more] })
