import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Connection, type Keypair, PublicKey } from '@solana/web3.js'
import { associatedTokenAccount, type Pubkey } from '@agent-registry/solana'
import {
  decodeAccount,
  type RegistryAccounts,
  registryAddresses,
  registryInstruction,
} from '@agent-registry/program'
import { chunksOf } from '../../platform/async/promises.ts'
import type { Clock } from '../../platform/clock.ts'
import { keyOf, type LocalnetKeys } from '../../platform/keys.ts'
import type { Logger } from '../../platform/logger.ts'
import { SAMPLE_DAYS, type SampleAgent, sampleAgent } from './sample-agents.ts'
import { type SampleCard, sampleCards } from './sample-cards.ts'
import { writeSampleDocuments } from './sample-documents.ts'
import type { Job, LocalnetFaucet, TransactionSender } from './transaction-sender.ts'

const SECONDS_PER_DAY = 86_400
const REPORTS_PER_TRANSACTION = 8
const ACCOUNTS_PER_CALL = 100
const OWNER_LAMPORTS = 1_000_000_000n

type SeededAgent = SampleAgent & { wallet: Keypair; account: Pubkey }
type Accounts = ReadonlyMap<Pubkey, RegistryAccounts['Agent']>

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
    const today = samples.filter(({ registeredOnDay }) => registeredOnDay === day)
    const born = today.filter(({ account }) => !agents.has(account))
    await Promise.all(born.map(({ wallet }) => faucet.airdrop(keyOf(wallet), OWNER_LAMPORTS)))
    await sender.send(born.map((each) => build.register(each, cards.get(each.name)!)))
    const undescribed = today.filter(({ account }) => (agents.get(account)?.version ?? '') === '')
    await sender.send(undescribed.map(build.describe))
    const staking = today.filter(
      ({ account, deposit }) => deposit > 0n && (agents.get(account)?.tier ?? 'observer') === 'observer',
    )
    await Promise.all(staking.map(({ wallet, deposit }) => faucet.mintUsdc(keyOf(wallet), deposit)))
    await sender.send(staking.map(build.deposit))
    await sender.send(build.report(dueReports(samples, agents, day, target)))
  }
  const agents = await readAgents(connection, samples)
  const ending = samples.filter(
    ({ lifecycle, account }) => ENDED.has(lifecycle) && agents.get(account)?.status === 'active',
  )
  await sender.send(ending.map(build.end))
  writeFileSync(marker, `${count}\n`)
  logger.info({ agents: count }, 'sample agents registered by transactions')
}

const ENDED = new Set<SampleAgent['lifecycle']>(['suspendedByOwner', 'suspendedByAdmin', 'deactivated'])

/** The agents whose reputation has not been reported today. */
function dueReports(
  samples: readonly SeededAgent[],
  agents: Accounts,
  day: number,
  ledgerTime: number,
): SeededAgent[] {
  const today = BigInt(ledgerTime - (ledgerTime % SECONDS_PER_DAY))
  return samples.filter(({ registeredOnDay, dailyDelta, account }) => {
    const reportedAt = agents.get(account)?.reputationUpdatedAt
    return day > registeredOnDay && dailyDelta !== 0 && reportedAt !== undefined && reportedAt < today
  })
}

function sampleTransactions(programId: Pubkey, keys: LocalnetKeys) {
  const payer = keyOf(keys.feePayer)
  const authority = keyOf(keys.reputationReporter)
  const job = (signer: Keypair, name: string, accounts: Record<string, Pubkey>, args = {}): Job => ({
    signers: [signer],
    instructions: [registryInstruction(programId, name, accounts, args)],
  })
  return {
    register: ({ wallet, name, category }: SeededAgent, card: SampleCard): Job => {
      const args = { name, serviceCategory: category, agentCardUrl: card.url, agentCardHash: card.hash }
      return job(wallet, 'register_agent', { payer, owner: keyOf(wallet) }, args)
    },
    describe: ({ wallet, version, capabilities }: SeededAgent): Job =>
      job(wallet, 'update_agent', { owner: keyOf(wallet) }, { version, capabilities }),
    deposit: ({ wallet, deposit: amount }: SeededAgent): Job => {
      const [owner, usdcMint] = [keyOf(wallet), keyOf(keys.usdcMint)]
      const ownerToken = associatedTokenAccount(owner, usdcMint)
      return job(wallet, 'deposit', { payer, owner, ownerToken, usdcMint }, { amount })
    },
    report: (agents: readonly SeededAgent[]): Job[] => {
      const instructions = agents.map(({ account: agent, dailyDelta: delta }) =>
        registryInstruction(
          programId,
          'report_behavior',
          { authority, agent },
          { delta, reason: delta > 0 ? 1 : 2 },
        ),
      )
      return Array.from(chunksOf(instructions, REPORTS_PER_TRANSACTION), (batch) => ({
        instructions: batch,
        signers: [keys.reputationReporter],
      }))
    },
    /** Suspends or deactivates the agent. */
    end: ({ wallet, account: agent, lifecycle }: SeededAgent): Job => {
      if (lifecycle === 'deactivated') return job(wallet, 'deactivate_agent', { owner: keyOf(wallet) })
      const signer = lifecycle === 'suspendedByAdmin' ? keys.registryAdmin : wallet
      return job(signer, 'suspend_agent', { authority: keyOf(signer), agent })
    },
  }
}

async function readAgents(connection: Connection, samples: readonly SeededAgent[]): Promise<Accounts> {
  const found = new Map<Pubkey, RegistryAccounts['Agent']>()
  for (const batch of chunksOf(samples, ACCOUNTS_PER_CALL)) {
    const keys = batch.map(({ account }) => new PublicKey(account))
    const accounts = await connection.getMultipleAccountsInfo(keys, 'processed')
    for (const [index, info] of accounts.entries()) {
      const account = info === null ? null : decodeAccount(info.data)
      if (account?.name === 'Agent') found.set(batch[index]!.account, account.data)
    }
  }
  return found
}
