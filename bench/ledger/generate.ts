import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Keypair, type TransactionInstruction } from '@solana/web3.js'
import { parseTransaction, programDataAddress, pubkey, type Pubkey } from '@agent-registry/solana'
import { PROGRAM_FILE, registryAddresses, registryIdl, registryInstruction } from '@agent-registry/program'
import { type GenesisOptions, openLedger } from '@agent-registry/localnet'
import { loadLocalnetKeys, type LocalnetKeys } from '../../src/platform/keys.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { generateWallet, type Wallet, walletOf, wireTransaction } from './wallet.ts'

const PROGRAM = pubkey(registryIdl.address)
const CATEGORIES = registryIdl.types.find((each) => each.name === 'ServiceCategory')
const TRANSACTIONS_PER_SLOT = 1_000
/**
 * This many agents exist at the same time, so that the transactions of one account are far apart,
 * as on a cluster.
 */
const GENERATION = 2_000
const DELTAS = [12, -5, 3]

export interface GeneratedLedger {
  agents: number
  transactions: number
}

/** The genesis of the ledger in DATA_DIR, as for the localnet of the service. */
export function genesisOf(keys: LocalnetKeys): GenesisOptions {
  return {
    faucet: keys.faucet,
    usdcMint: keys.usdcMint,
    usdcMintAuthority: keys.usdcMintAuthority,
    programs: [
      {
        programId: PROGRAM,
        elf: readFileSync(PROGRAM_FILE),
        authority: pubkey(keys.registryAdmin.publicKey.toBase58()),
      },
    ],
  }
}

/**
 * Writes a ledger of `agents` agents into DATA_DIR. Each agent is registered, updated and reported
 * three times: five transactions with one event each. They run in the VM, without RPC.
 */
export function generateLedger(options: {
  dataDir: string
  agents: number
  onProgress?: (transactions: number) => void
}): GeneratedLedger {
  const keys = loadLocalnetKeys(options.dataDir)
  const logger = createLogger('error', false)
  const dataDir = join(options.dataDir, 'localnet')
  const { bank, faucet, store } = openLedger({ dataDir, genesis: genesisOf(keys), logger })
  let transactions = 0
  let inSlot = 0
  const send = (payer: Wallet, instructions: TransactionInstruction[], signers: Wallet[] = []): void => {
    const wire = wireTransaction(bank.view('processed').tip.blockhash, payer, instructions, signers)
    const submission = bank.submit(parseTransaction(wire))
    if ('refused' in submission || submission.record.meta.err !== null)
      throw new Error(`refused: ${JSON.stringify(submission)}`)
    transactions += 1
    inSlot += 1
    if (inSlot < TRANSACTIONS_PER_SLOT) return
    inSlot = 0
    bank.closeSlot()
    options.onProgress?.(transactions)
  }
  const [admin, reporter, payer] = [keys.registryAdmin, keys.reputationReporter, keys.feePayer].map((key) =>
    fundedWallet(key),
  ) as [Wallet, Wallet, Wallet]
  function fundedWallet(key: Keypair): Wallet {
    const wallet = walletOf(key)
    for (let i = 0; i < 5; i += 1) faucet.airdrop(wallet.address, 1_000_000_000_000n)
    return wallet
  }
  bank.closeSlot()
  send(admin, initialization(keys))
  bank.closeSlot()
  const reporterAccount = registryAddresses(PROGRAM).reporter(reporter.address)
  for (let from = 0; from < options.agents; from += GENERATION) {
    const lives = Array.from({ length: Math.min(GENERATION, options.agents - from) }, (_, i) =>
      lifeOf(from + i, payer.address),
    )
    for (const { register, wallet } of lives) send(payer, [register], [wallet])
    for (const { update, wallet } of lives) send(payer, [update], [wallet])
    for (const [at, delta] of DELTAS.entries())
      for (const { agent } of lives)
        send(reporter, [report(agent, reporter.address, reporterAccount, delta, at)])
  }
  // Makes everything final, because a real catch-up has no such unfinalized rest.
  for (let slot = 0; slot < 40; slot += 1) bank.closeSlot()
  store.close()
  return { agents: options.agents, transactions }
}

function initialization(keys: LocalnetKeys): TransactionInstruction[] {
  const admin = pubkey(keys.registryAdmin.publicKey.toBase58())
  const authority = pubkey(keys.reputationReporter.publicKey.toBase58())
  const usdcMint = pubkey(keys.usdcMint.publicKey.toBase58())
  return [
    registryInstruction(
      PROGRAM,
      'initialize',
      { admin, programData: programDataAddress(PROGRAM), usdcMint, treasury: admin },
      { tierThresholds: [0n, 100_000_000n, 500_000_000n, 1_000_000_000n], cooldownSeconds: 604_800n },
    ),
    registryInstruction(PROGRAM, 'register_reporter', { admin, authority }, { label: 'bench', weight: 5 }),
  ]
}

interface Life {
  wallet: Wallet
  agent: Pubkey
  register: TransactionInstruction
  update: TransactionInstruction
}

function lifeOf(index: number, payer: Pubkey): Life {
  const wallet = generateWallet()
  const owner = wallet.address
  const agent = registryAddresses(PROGRAM).agent(owner)
  const name = `Agent ${index}`
  const url = `https://agents.example.org/${index}/agent-card.json`
  const variants = CATEGORIES?.type.kind === 'enum' ? CATEGORIES.type.variants : []
  const category = variants[index % variants.length]?.name ?? 'other'
  return {
    wallet,
    agent,
    register: registryInstruction(
      PROGRAM,
      'register_agent',
      { payer, owner, agent },
      {
        name,
        serviceCategory: category.charAt(0).toLowerCase() + category.slice(1),
        agentCardUrl: url,
        agentCardHash: createHash('sha256').update(url).digest(),
      },
    ),
    update: registryInstruction(
      PROGRAM,
      'update_agent',
      { owner, agent },
      { version: `1.${index % 10}.0`, capabilities: BigInt(1 + (index % 63)) },
    ),
  }
}

function report(
  agent: Pubkey,
  authority: Pubkey,
  reporter: Pubkey,
  delta: number,
  reason: number,
): TransactionInstruction {
  return registryInstruction(PROGRAM, 'report_behavior', { authority, reporter, agent }, { delta, reason })
}
