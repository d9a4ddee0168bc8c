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
import { type GenesisOptions, type Localnet, startLocalnet } from '@agent-registry/localnet'
import { createTransactionSender, untilConfirmed } from '../../../src/compose/localnet/transaction-sender.ts'
import { type LedgerRpc, createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'

const DAY = 86_400

export const programId = pubkey(registryIdl.address)
export const addresses = registryAddresses(programId)
export const keyOf = (keypair: Keypair): Pubkey => pubkey(keypair.publicKey.toBase58())

type Send = (name: string, accounts?: Record<string, Pubkey>, args?: Record<string, unknown>) => Promise<void>

/**
 * A wallet with an agent, and the instructions that it can send. Accounts that follow from the
 * owner are filled in.
 */
export interface AgentWallet {
  owner: Pubkey
  agent: Pubkey
  keypair: Keypair
  send: Send
  instruction: (
    name: string,
    accounts?: Record<string, Pubkey>,
    args?: Record<string, unknown>,
  ) => TransactionInstruction
}

export interface RegistryWorld {
  localnet: Localnet
  rpc: LedgerRpc
  connection: Connection
  admin: Keypair
  reporter: Keypair
  usdcMint: Pubkey
  wallet(name: string): Promise<AgentWallet>
  /** Sends instructions in one transaction and waits for it to be confirmed. */
  transact(instructions: TransactionInstruction[], signers: Keypair[]): Promise<void>
  /**
   * Sends instructions in one transaction without preflight, ends the slot, and returns the error of
   * the transaction, or null. The first signer pays.
   */
  execute(instructions: TransactionInstruction[], signers: Keypair[]): Promise<TransactionError | null>
  asAdmin: Send
  report(agent: Pubkey, delta: number): Promise<void>
  close(): Promise<void>
}

/** The registry on a localnet in memory, initialised, with an active reporter of weight 5. */
export async function createRegistryWorld(
  options: { slotMs?: number; finalizedDepth?: number | undefined } & Pick<
    GenesisOptions,
    'programs' | 'accounts'
  > = {},
): Promise<RegistryWorld> {
  const [faucet, payer, admin, reporter, mint] = Array.from({ length: 5 }, () => Keypair.generate()) as [
    Keypair,
    Keypair,
    Keypair,
    Keypair,
    Keypair,
  ]
  const localnet = await startLocalnet({
    dataDir: null,
    slotMs: options.slotMs ?? 40,
    ...(options.finalizedDepth === undefined ? {} : { finalizedDepth: options.finalizedDepth }),
    genesis: {
      faucet,
      usdcMint: mint,
      usdcMintAuthority: faucet,
      programs: [
        { programId, elf: readFileSync(PROGRAM_FILE), upgradeAuthority: keyOf(admin) },
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
  const transact = (instructions: TransactionInstruction[], signers: Keypair[]): Promise<void> =>
    sender.send([{ instructions, signers: signers.filter((each) => each !== payer) }])
  const fund = async (owner: Keypair): Promise<void> => {
    const signature = await connection.requestAirdrop(owner.publicKey, 10_000_000_000)
    await untilConfirmed(connection, [signature], advance)
  }
  for (const keypair of [payer, admin]) await fund(keypair)

  const execute: RegistryWorld['execute'] = async (instructions, signers) => {
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
    {
      tierThresholds: [0n, 100_000_000n, 500_000_000n, 1_000_000_000n],
      cooldownSeconds: BigInt(7 * DAY),
    },
  )
  await asAdmin('register_reporter', { authority: keyOf(reporter) }, { label: 'tests', weight: 5 })

  async function wallet(name: string): Promise<AgentWallet> {
    const keypair = Keypair.generate()
    const owner = keyOf(keypair)
    const agent = addresses.agent(owner)
    await fund(keypair)
    const minted = await rpc.call<string>('localnet_mintUsdc', [owner, 5_000_000_000])
    await untilConfirmed(connection, [minted], advance)
    const ownerToken = associatedTokenAccount(owner, usdcMint)
    const instruction: AgentWallet['instruction'] = (instructionName, accounts = {}, args = {}) =>
      registryInstruction(
        programId,
        instructionName,
        {
          payer: keyOf(payer),
          owner,
          agent,
          ownerToken,
          usdcMint,
          rentPayer: keyOf(payer),
          ...accounts,
        },
        args,
      )
    const self: AgentWallet = {
      owner,
      agent,
      keypair,
      instruction,
      send: (instructionName, accounts, args) =>
        transact([instruction(instructionName, accounts, args)], [keypair]),
    }
    await self.send('register_agent', {}, registrationArgs(name))
    return self
  }

  return {
    localnet,
    rpc,
    connection,
    admin,
    reporter,
    usdcMint,
    wallet,
    transact,
    execute,
    asAdmin,
    report: (agent, delta) =>
      transact(
        [
          registryInstruction(
            programId,
            'report_behavior',
            { authority: keyOf(reporter), agent },
            { delta, reason: 1 },
          ),
        ],
        [reporter],
      ),
    close: () => localnet.close(),
  }
}

export function registrationArgs(name: string): Record<string, unknown> {
  return {
    name,
    serviceCategory: 'research',
    agentCardUrl: 'https://agents.example.org/card.json',
    agentCardHash: new Uint8Array(32).fill(9),
  }
}
