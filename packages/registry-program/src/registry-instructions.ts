import { PublicKey, TransactionInstruction } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { camelCase } from './idl/codec.ts'
import { type IdlAccountMeta, registryIdl } from './idl/types.ts'
import { encodeInstruction } from './registry-codec.ts'

/**
 * Builds an instruction of the registry program from the IDL. `accounts` and `args` have the IDL's names in camelCase;
 * addresses that the IDL fixes or derives from the accounts given may be left out.
 */
export function registryInstruction(
  programId: Pubkey,
  name: string,
  accounts: Record<string, Pubkey>,
  args: Record<string, unknown> = {},
): TransactionInstruction {
  const instruction = registryIdl.instructions.find((each) => each.name === name)
  if (instruction === undefined) throw new Error(`the IDL has no instruction ${name}`)
  const resolved = new Map(Object.entries(accounts))
  const program = new PublicKey(programId)
  for (const meta of instruction.accounts) {
    const key = camelCase(meta.name)
    const address = resolved.get(key) ?? implied(program, meta, resolved)
    if (address === undefined) throw new Error(`${name} needs the account ${key}`)
    resolved.set(key, address)
  }
  return new TransactionInstruction({
    programId: program,
    keys: instruction.accounts.map((meta) => ({
      pubkey: new PublicKey(resolved.get(camelCase(meta.name)) ?? ''),
      isSigner: meta.signer === true,
      isWritable: meta.writable === true,
    })),
    data: encodeInstruction(name, args),
  })
}

function implied(program: PublicKey, meta: IdlAccountMeta, known: Map<string, Pubkey>): Pubkey | undefined {
  if (meta.address !== undefined) return pubkey(meta.address)
  if (meta.pda === undefined) return undefined
  const seeds: Uint8Array[] = []
  for (const seed of meta.pda.seeds) {
    const base = seed.kind === 'const' ? undefined : known.get(camelCase(seed.path ?? ''))
    if (seed.kind === 'account' && base === undefined) return undefined
    seeds.push(base === undefined ? Uint8Array.from(seed.value ?? []) : new PublicKey(base).toBytes())
  }
  return pubkey(PublicKey.findProgramAddressSync(seeds, program)[0].toBase58())
}
