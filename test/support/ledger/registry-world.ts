import { readFileSync } from 'node:fs'
import {
  Connection,
  Keypair,
  Transaction,
  type TransactionError,
  type TransactionInstruction,
} from '@solana/web3.js'
import { associatedTokenAccount, programDataAddress, pubkey, type Pubkey } from '@agent-registry/solana'
import { PROGRAM_FILE, registryAddresses, registryIdl, registryInstruction } from '@agent-registry/program'
import { type GenesisOptions, startLocalnet } from '@agent-registry/localnet'
import { createTransactionSender, localnetFaucet } from '../../../src/compose/localnet/transaction-sender.ts'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'

export const programId = pubkey(registryIdl.address)
export const addresses = registryAddresses(programId)
export const keyOf = (keypair: Keypair): Pubkey => pubkey(keypair.publicKey.toBase58())

type Send = (name: string, accounts?: Record<string, Pubkey>, args?: Record<string, unknown>) => Promise<void>

/** The registry on a localnet in memory, initialised, with an active reporter of weight 5. */
export async function createRegistryWorld(
  options: { slotMs?: number; finalizedDepth?: number | undefined } & Pick<
    GenesisOptions,
    'programs' | 'accounts'
  > = {},
) {
  const [faucet, payer, admin] = [Keypair.generate(), Keypair.generate(), Keypair.generate()]
  const [reporter, mint] = [Keypair.generate(), Keypair.generate()]
  const localnet = await startLocalnet({
    dataDir: null,
    slotMs: options.slotMs ?? 40,
    ...(options.finalizedDepth === undefined ? {} : { finalizedDepth: options.finalizedDepth }),
    genesis: {
      faucet,
      usdcMint: mint,
      usdcMintAuthority: faucet,
      programs: [
        { programId, elf: readFileSync(PROGRAM_FILE), authority: keyOf(admin) },
        ...(options.programs ?? []),
      ],
      ...(options.accounts === undefined ? {} : { accounts: options.accounts }),
    },
  })
  const rpc = createLocalnetRpc(localnet.rpcUrl)
  const connection = new Connection(localnet.rpcUrl, 'confirmed')
  const advance = async (): Promise<void> => localnet.stepSlot()
  const sender = createTransactionSender(connection, payer, advance)
  const usdcMint = keyOf(mint)
  /** Sends instructions in one transaction and waits for it to be confirmed. */
  const transact = (instructions: TransactionInstruction[], signers: Keypair[]): Promise<void> =>
    sender.send([{ instructions, signers: signers.filter((each) => each !== payer) }])
  const { airdrop, mintUsdc } = localnetFaucet(connection, localnet.rpcUrl, advance)
  const fund = (owner: Keypair): Promise<string> => airdrop(keyOf(owner), 10_000_000_000n)
  for (const keypair of [payer, admin]) await fund(keypair)

  /**
   * Sends instructions in one transaction without preflight and ends the slot. Returns the error
   * of the transaction, or null. The first signer pays.
   */
  const execute = async (
    instructions: TransactionInstruction[],
    signers: Keypair[],
  ): Promise<TransactionError | null> => {
    // `Connection.sendTransaction` would use a blockhash for 30 s. With short slots it expires
    // earlier.
    const transaction = new Transaction(await connection.getLatestBlockhash()).add(...instructions)
    transaction.sign(...signers)
    const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true })
    localnet.stepSlot()
    const { value } = await connection.getSignatureStatus(signature)
    if (value === null) throw new Error(`the transaction ${signature} was dropped`)
    return value.err
  }

  const asAdmin: Send = (name, accounts = {}, args = {}) =>
    transact([registryInstruction(programId, name, { admin: keyOf(admin), ...accounts }, args)], [admin])
  await asAdmin(
    'initialize',
    { programData: programDataAddress(programId), usdcMint, treasury: keyOf(admin) },
    { tierThresholds: [0n, 100_000_000n, 500_000_000n, 1_000_000_000n], cooldownSeconds: 604_800n },
  )
  await asAdmin('register_reporter', { authority: keyOf(reporter) }, { label: 'tests', weight: 5 })

  /**
   * A wallet with an agent, and the instructions that it can send. Accounts that follow from the
   * owner are filled in.
   */
  async function wallet(name: string) {
    const keypair = Keypair.generate()
    const owner = keyOf(keypair)
    const agent = addresses.agent(owner)
    await fund(keypair)
    await mintUsdc(owner, 5_000_000_000n)
    const ownerToken = associatedTokenAccount(owner, usdcMint)
    const own = { payer: keyOf(payer), owner, agent, ownerToken, usdcMint, rentPayer: keyOf(payer) }
    const instruction = (...[what, accounts = {}, args = {}]: Parameters<Send>): TransactionInstruction =>
      registryInstruction(programId, what, { ...own, ...accounts }, args)
    const send: Send = (...given) => transact([instruction(...given)], [keypair])
    await send('register_agent', {}, registrationArgs(name))
    return { owner, agent, keypair, instruction, send }
  }

  return {
    localnet,
    /** Settings of a gateway on this ledger. */
    env: {
      SOLANA_RPC_URL: localnet.rpcUrl,
      SOLANA_WS_URL: localnet.wsUrl,
      WEBHOOK_SECRETS_KEY: '05'.repeat(32),
    },
    rpc,
    connection,
    admin,
    reporter,
    usdcMint,
    wallet,
    transact,
    execute,
    asAdmin,
    report: (agent: Pubkey, delta: number) => {
      const accounts = { authority: keyOf(reporter), agent }
      const args = { delta, reason: 1 }
      return transact([registryInstruction(programId, 'report_behavior', accounts, args)], [reporter])
    },
    close: () => localnet.close(),
  }
}

export type RegistryWorld = Awaited<ReturnType<typeof createRegistryWorld>>
export type AgentWallet = Awaited<ReturnType<RegistryWorld['wallet']>>

export function registrationArgs(name: string): Record<string, unknown> {
  return {
    name,
    serviceCategory: 'research',
    agentCardUrl: 'https://agents.example.org/card.json',
    agentCardHash: new Uint8Array(32).fill(9),
  }
}
