import type { Keypair } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { adminInstructions, type RegistryAccounts } from '@agent-registry/program'
import { readKeypairFile } from '../../platform/keys.ts'
import { CommandError, type Output } from '../output.ts'
import type { Cluster } from './cluster.ts'
import type { SigningOptions } from './options.ts'
import { type ProgramState, readRegistry } from './read-registry.ts'
import { sendInstruction } from './send-instruction.ts'

type Instructions = ReturnType<typeof adminInstructions>
type Instruction = ReturnType<Instructions[keyof Instructions]>

/** The key that signs, and the instructions of an admin with this key. */
export interface Signer {
  readonly key: Pubkey
  readonly build: Instructions
  send(instruction: Instruction): Promise<void>
}

export function openSigner(cluster: Cluster, options: SigningOptions, output: Output): Signer {
  const signer: Keypair = readKeypairFile(options.keypair)
  const key = pubkey(signer.publicKey.toBase58())
  return {
    key,
    build: adminInstructions(cluster.programId, key),
    send: (instruction) => sendInstruction(cluster, instruction, { signer, options, output }),
  }
}

/** Throws CommandError if the program does not exist or cannot run. */
export function checkProgram(
  program: ProgramState | null,
  { programId, network }: Cluster,
): asserts program is ProgramState {
  if (program === null) throw new CommandError(`The program ${programId} does not exist on ${network}`)
  if (!program.executable) throw new CommandError(`${programId} is not a program`)
}

/** The config of an initialized registry. With a signer, throws if it is not the admin. */
export async function checkConfig(
  cluster: Cluster,
  signer?: Signer,
): Promise<RegistryAccounts['RegistryConfig']> {
  const { program, config } = await readRegistry(cluster)
  checkProgram(program, cluster)
  if (config === null)
    throw new CommandError('The registry is not initialized: run npm run cli -- registry init')
  if (signer !== undefined && signer.key !== config.admin)
    throw new CommandError(`Only the admin ${config.admin} can do this; --keypair is ${signer.key}`)
  return config
}
