import {
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import { UPGRADEABLE_LOADER } from '@agent-registry/solana'

export const LOADER = new PublicKey(UPGRADEABLE_LOADER)
const CHUNK = 900
const BUFFER_HEADER = 37

export function loaderInstruction(keys: [PublicKey, string][], data: Buffer): TransactionInstruction {
  const metas = keys.map(([pubkey, roles]) => ({
    pubkey,
    isSigner: roles.includes('s'),
    isWritable: roles.includes('w'),
  }))
  return new TransactionInstruction({ programId: LOADER, keys: metas, data })
}

export function numbers(tag: number, ...values: [number, 4 | 8][]): Buffer {
  const buffers = [[tag, 4] as const, ...values].map(([value, bytes]) => {
    const buffer = Buffer.alloc(bytes)
    buffer.writeUInt32LE(value)
    return buffer
  })
  return Buffer.concat(buffers)
}

/**
 * Deploys a program by transactions: writes the buffer, then deploys it. `payer` becomes the
 * upgrade authority. Returns the address of the ProgramData account.
 */
export async function deployProgram(
  connection: Connection,
  payer: Keypair,
  { program, elf }: { program: Keypair; elf: Uint8Array },
): Promise<PublicKey> {
  const [buffer, authority] = [Keypair.generate(), payer.publicKey]
  const [data] = PublicKey.findProgramAddressSync([program.publicKey.toBytes()], LOADER)
  const account = async (key: PublicKey, space: number): Promise<TransactionInstruction> =>
    SystemProgram.createAccount({
      fromPubkey: authority,
      newAccountPubkey: key,
      lamports: await connection.getMinimumBalanceForRentExemption(space),
      space,
      programId: LOADER,
    })
  const run = (signers: Keypair[], ...instructions: TransactionInstruction[]): Promise<string> =>
    connection.sendTransaction(new Transaction().add(...instructions), [payer, ...signers], {
      preflightCommitment: 'processed',
    })
  const initialize = loaderInstruction(
    [
      [buffer.publicKey, 'w'],
      [authority, ''],
    ],
    numbers(0),
  )
  await run([buffer], await account(buffer.publicKey, BUFFER_HEADER + elf.length), initialize)
  const target: [PublicKey, string][] = [
    [buffer.publicKey, 'w'],
    [authority, 's'],
  ]
  for (let offset = 0; offset < elf.length; offset += CHUNK) {
    const part = elf.subarray(offset, offset + CHUNK)
    const write = Buffer.concat([numbers(1, [offset, 4], [part.length, 8]), part])
    await run([], loaderInstruction(target, write))
  }
  const deployment = loaderInstruction(
    [
      [authority, 'sw'],
      [data, 'w'],
      [program.publicKey, 'w'],
      [buffer.publicKey, 'w'],
      [SYSVAR_RENT_PUBKEY, ''],
      [SYSVAR_CLOCK_PUBKEY, ''],
      [SystemProgram.programId, ''],
      [authority, 's'],
    ],
    numbers(2, [elf.length, 8]),
  )
  await run([program], await account(program.publicKey, 36), deployment)
  return data
}
