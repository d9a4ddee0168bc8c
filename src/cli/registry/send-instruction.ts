import type { Keypair, TransactionInstruction } from '@solana/web3.js'
import { encodeBase58, type Message, parseTransaction, pubkey } from '@agent-registry/solana'
import { adminInstructions, decodeInstruction, type RegistryAccounts } from '@agent-registry/program'
import { keyOf, readKeypairFile } from '../../platform/keys.ts'
import { CommandError, jsonOf, OUTCOME_UNKNOWN, type Output } from '../output.ts'
import { type Cluster, type ProgramState, readRegistry } from './cluster.ts'
import type { SigningOptions } from './options.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import nacl from 'tweetnacl'
import { LedgerRpcError } from '../../ledger/rpc/rpc-error.ts'
import { buildMessage, simulate, type Simulation, unsignedTransaction } from '../../transactions/build.ts'
import { transactionErrorText } from '../../transactions/error-text.ts'

type Signer = ReturnType<typeof openSigner>

/** The key that signs, and the instructions of an admin with this key. */
export function openSigner(cluster: Cluster, options: SigningOptions, output: Output) {
  const signer = readKeypairFile(options.keypair)
  const key = keyOf(signer)
  return {
    key,
    build: adminInstructions(cluster.programId, key),
    send: (instruction: TransactionInstruction): Promise<void> =>
      sendInstruction(cluster, instruction, { signer, options, output }),
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

/** More than any instruction of an admin uses. */
const COMPUTE_UNITS = 100_000
const POLL_MS = 500
const POLLS_PER_SEND = 4

interface Status {
  readonly err: unknown
  readonly confirmationStatus: string
}

/**
 * Simulates an instruction and sends it, signed and paid by `signer`. With `--dry-run`, prints it
 * instead. Returns when the transaction is confirmed.
 */
async function sendInstruction(
  cluster: Cluster,
  instruction: TransactionInstruction,
  { signer, options, output }: { signer: Keypair; options: SigningOptions; output: Output },
): Promise<void> {
  const { value: head } = await cluster.rpc.call<{
    value: { blockhash: string; lastValidBlockHeight: number }
  }>('getLatestBlockhash', [{ commitment: 'confirmed' }])
  const bytes = buildMessage(
    { instructions: [toNamed(instruction)], signers: [keyOf(signer)] },
    { limit: COMPUTE_UNITS, price: options.priorityFee },
    head.blockhash,
  )
  const unsigned = unsignedTransaction(bytes)
  const { message } = parseTransaction(Buffer.from(unsigned, 'base64'))
  const simulation = await simulate(cluster.rpc, unsigned)
  if (options.dryRun === true) printDryRun(cluster, instruction, { unsigned, simulation, output })
  throwIfFailed(simulation.err, { message, cluster, logs: simulation.logs })
  if (options.dryRun === true) return

  const signature = nacl.sign.detached(bytes, signer.secretKey)
  const signed = Buffer.from(unsigned, 'base64')
  signed.set(signature, 1)
  const id = encodeBase58(signature)
  const sent = { signature: id, lastValidBlockHeight: head.lastValidBlockHeight }
  output.announce({ ...sent, status: 'signed' }, [`signed transaction ${id}`])
  const status = await land(cluster, id, signed.toString('base64'), head.lastValidBlockHeight).catch(
    (error: Error) => {
      throw new CommandError(
        `${error.message}. Look whether the transaction ${id} landed before you send it again: it can land until block height ${head.lastValidBlockHeight}`,
        { code: 'OUTCOME_UNKNOWN', ...sent },
        { cause: error, exitCode: OUTCOME_UNKNOWN },
      )
    },
  )
  throwIfFailed(status.err, { message, cluster, logs: [] })
  const { name } = decodeInstruction(instruction.data) ?? {}
  output.result({ instruction: name, signature: id }, [`${name} confirmed: ${id}`])
}

function toNamed({ programId, keys, data }: TransactionInstruction) {
  return {
    programId: pubkey(programId.toBase58()),
    keys: keys.map((each) => ({ ...each, pubkey: pubkey(each.pubkey.toBase58()) })),
    data,
  }
}

function printDryRun(
  { network, host }: Cluster,
  { keys, data }: TransactionInstruction,
  { unsigned, simulation, output }: { unsigned: string; simulation: Simulation; output: Output },
): void {
  const { name, args } = decodeInstruction(data) ?? { name: '', args: {} }
  const accounts = keys.map((each) => ({ ...each, pubkey: each.pubkey.toBase58() }))
  const { err, logs, units } = simulation
  output.result(
    { network, instruction: name, args, accounts, transaction: unsigned, simulation: { err, logs, units } },
    [
      `${name} on ${network} (${host}), not sent`,
      `arguments    ${jsonOf(args)}`,
      ...accounts.map(
        (each) =>
          `account      ${each.pubkey}${each.isSigner ? ' signer' : ''}${each.isWritable ? ' writable' : ''}`,
      ),
      `transaction  ${unsigned}`,
      `simulation   ${err === null ? `succeeded with ${units} compute units` : 'failed'}`,
      ...logs.map((line) => `  ${line}`),
    ],
  )
}

function throwIfFailed(
  error: unknown,
  { message, cluster, logs }: { message: Message; cluster: Cluster; logs: readonly string[] },
): void {
  if (error === null) return
  const text = transactionErrorText(error, message, cluster.programId, logs)
  throw new CommandError(`The transaction failed, and nothing was changed. ${text}`)
}

/** Sends the transaction until it is confirmed or can no longer land. */
async function land(
  { rpc }: Cluster,
  id: string,
  transaction: string,
  lastValidBlockHeight: number,
): Promise<Status> {
  for (let poll = 0; ; poll += 1) {
    const height = await rpc.call<number>('getBlockHeight', [{ commitment: 'confirmed' }])
    if (poll % POLLS_PER_SEND === 0) await send(rpc, transaction)
    const { value } = await rpc.call<{ value: (Status | null)[] }>('getSignatureStatuses', [[id]])
    const [status] = value
    if (status && status.confirmationStatus !== 'processed') return status
    if (height > lastValidBlockHeight)
      throw new CommandError('The transaction expired before the node reported it')
    await sleep(POLL_MS)
  }
}

/** A refusal is not final: the node may be behind, or the transaction may have landed. */
async function send(rpc: Cluster['rpc'], transaction: string): Promise<void> {
  try {
    await rpc.call('sendTransaction', [
      transaction,
      { encoding: 'base64', skipPreflight: true, maxRetries: 0 },
    ])
  } catch (error) {
    if (!(error instanceof LedgerRpcError)) throw error
  }
}
