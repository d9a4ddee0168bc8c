import { PublicKey, TransactionInstruction } from '@solana/web3.js'
import { programAddress, type Pubkey, pubkey, pubkeyBytes } from '@agent-registry/solana'
import { encodeInstruction } from './codec.ts'
import { camelCase, type IdlAccountMeta, registryIdl } from './idl.ts'

/**
 * Builds an instruction of the registry program. `accounts` and `args` use the names of the IDL in
 * camelCase. Accounts may be missing if the IDL fixes their address or derives it from the others.
 * `program` is the program itself.
 */
export function registryInstruction(
  programId: Pubkey,
  name: string,
  accounts: Record<string, Pubkey>,
  args: Record<string, unknown> = {},
): TransactionInstruction {
  const instruction = registryIdl.instructions.find((each) => each.name === name)
  if (instruction === undefined) throw new Error(`the IDL does not define ${name}`)
  const known = new Map(Object.entries({ program: programId, ...accounts }))
  const keys = instruction.accounts.map((meta) => {
    const key = camelCase(meta.name)
    const address = known.get(key) ?? knownAddress(programId, meta, known)
    if (address === undefined) throw new Error(`${name} needs the account ${key}`)
    known.set(key, address)
    return {
      pubkey: new PublicKey(address),
      isSigner: meta.signer === true,
      isWritable: meta.writable === true,
    }
  })
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys,
    data: encodeInstruction(name, args),
  })
}

/** The address that the IDL fixes or derives, or undefined. */
function knownAddress(
  programId: Pubkey,
  { address, pda }: IdlAccountMeta,
  known: ReadonlyMap<string, Pubkey>,
): Pubkey | undefined {
  if (address !== undefined) return pubkey(address)
  if (pda === undefined) return undefined
  const seeds: Uint8Array[] = []
  for (const seed of pda.seeds) {
    const key = seed.kind === 'account' ? known.get(camelCase(seed.path)) : undefined
    if (seed.kind === 'const') seeds.push(Uint8Array.from(seed.value))
    else if (key === undefined) return undefined
    else seeds.push(pubkeyBytes(key))
  }
  return programAddress(programId, seeds)
}
