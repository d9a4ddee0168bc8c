import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Connection, type Keypair, PublicKey } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { decodeAccount, type RegistryAccounts, registryAddresses } from '@agent-registry/program'
import type { Clock } from '../../platform/clock.ts'
import type { LocalnetKeys } from '../../platform/keys.ts'
import type { Logger } from '../../platform/logger.ts'
import { keyOf } from './registry-setup.ts'
import { SAMPLE_DAYS, type SampleAgent, sampleAgent } from './sample-agents.ts'
import { sampleCards } from './sample-cards.ts'
import { writeSampleDocuments } from './sample-documents.ts'
import { sampleTransactions } from './sample-transactions.ts'
import type { Job, TransactionSender } from './transaction-sender.ts'

const SECONDS_PER_DAY = 86_400
const REPORTS_PER_TRANSACTION = 8
const ACCOUNTS_PER_CALL = 100
const ENDED_LIFECYCLES = new Set(['suspendedByOwner', 'suspendedByAdmin', 'deactivated'])
const OWNER_LAMPORTS = 1_000_000_000n

/** Gives SOL and USDC to wallets, and moves the clock of the localnet. */
export interface LocalnetFaucet {
  airdrop(owner: Pubkey, lamports: bigint): Promise<void>
  mintUsdc(owner: Pubkey, amount: bigint): Promise<void>
  /** Moves the ledger's clock forward. */
  warp(seconds: number): Promise<void>
  /** The ledger's clock, Unix seconds. */
  now(): Promise<number>
}

type SeededAgent = SampleAgent & { wallet: Keypair; account: Pubkey }

/**
 * Registers the sample agents by transactions, spread over the past week of the ledger's clock. If
 * the process is killed, the next start continues from the state of the ledger. A marker file in
 * DATA_DIR shows that seeding has finished.
 */
export async function seedSampleAgents(options: {
  count: number
  dataDir: string
  connection: Connection
  programId: Pubkey
  keys: LocalnetKeys
  sender: TransactionSender
  faucet: LocalnetFaucet
  clock: Clock
  logger: Logger
}): Promise<void> {
  const { count, connection, programId, keys, sender, faucet, clock, logger } = options
  const marker = join(options.dataDir, 'seeded')
  if (count === 0 || existsSync(marker)) return
  const addresses = registryAddresses(programId)
  const build = sampleTransactions(programId, keys)
  const samples: SeededAgent[] = Array.from({ length: count }, (_, index) => {
    const wallet = keys.sampleAgent(index)
    return { ...sampleAgent(index), wallet, account: addresses.agent(keyOf(wallet)) }
  })
  const { cards, documents } = await sampleCards(samples, keys)
  writeSampleDocuments(options.dataDir, documents)

  for (let day = 0; day < SAMPLE_DAYS; day += 1) {
    const target = Math.floor(clock.now() / 1_000) - (SAMPLE_DAYS - 1 - day) * SECONDS_PER_DAY
    const behind = target - (await faucet.now())
    if (behind > 0) await faucet.warp(behind)
    const agents = await readAgents(connection, samples)
    const born = samples.filter((each) => each.registeredOnDay === day && !agents.has(each.account))
    await Promise.all(born.map((each) => faucet.airdrop(keyOf(each.wallet), OWNER_LAMPORTS)))
    await sender.send(born.map((each) => build.register(each, each.wallet, cards.get(each.name)!)))
    const undescribed = samples.filter(
      (each) => each.registeredOnDay === day && (agents.get(each.account)?.version ?? '') === '',
    )
    await sender.send(undescribed.map((each) => build.describe(each, each.wallet)))
    const staking = samples.filter(
      (each) =>
        each.registeredOnDay === day &&
        each.deposit > 0n &&
        (agents.get(each.account)?.tier ?? 'observer') === 'observer',
    )
    await Promise.all(staking.map((each) => faucet.mintUsdc(keyOf(each.wallet), each.deposit)))
    await sender.send(staking.map((each) => build.deposit(each, each.wallet)))
    await sender.send(reportJobs(samples, agents, day, target, build.report, keys.reputationReporter))
  }
  const agents = await readAgents(connection, samples)
  const ending = samples.filter(
    (each) => ENDED_LIFECYCLES.has(each.lifecycle) && agents.get(each.account)?.status === 'active',
  )
  await sender.send(ending.map((each) => build.end(each, each.wallet)))
  writeFileSync(marker, `${count}\n`)
  logger.info({ agents: count }, 'sample agents registered by transactions')
}

function reportJobs(
  samples: SeededAgent[],
  agents: Map<Pubkey, RegistryAccounts['Agent']>,
  day: number,
  ledgerTime: number,
  report: (wallet: Keypair, delta: number) => Job['instructions'][number],
  reporter: Keypair,
): Job[] {
  const today = BigInt(ledgerTime - (ledgerTime % SECONDS_PER_DAY))
  const due = samples.filter((each) => {
    const agent = agents.get(each.account)
    return (
      day > each.registeredOnDay &&
      each.dailyDelta !== 0 &&
      agent !== undefined &&
      agent.reputationUpdatedAt < today
    )
  })
  const jobs: Job[] = []
  for (let start = 0; start < due.length; start += REPORTS_PER_TRANSACTION) {
    const batch = due.slice(start, start + REPORTS_PER_TRANSACTION)
    jobs.push({
      instructions: batch.map((each) => report(each.wallet, each.dailyDelta)),
      signers: [reporter],
    })
  }
  return jobs
}

async function readAgents(
  connection: Connection,
  samples: SeededAgent[],
): Promise<Map<Pubkey, RegistryAccounts['Agent']>> {
  const found = new Map<Pubkey, RegistryAccounts['Agent']>()
  for (let start = 0; start < samples.length; start += ACCOUNTS_PER_CALL) {
    const keys = samples.slice(start, start + ACCOUNTS_PER_CALL).map((each) => new PublicKey(each.account))
    const accounts = await connection.getMultipleAccountsInfo(keys, 'processed')
    for (const [index, info] of accounts.entries()) {
      const account = info === null ? null : decodeAccount(info.data)
      if (account?.name === 'Agent') found.set(pubkey(keys[index]?.toBase58() ?? ''), account.data)
    }
  }
  return found
}
