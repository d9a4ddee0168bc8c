import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Connection, PublicKey } from '@solana/web3.js'
import type { Pubkey } from '@agent-registry/solana'
import { type Localnet, startLocalnet } from '@agent-registry/localnet'
import {
  adminInstructions,
  DEFAULT_COOLDOWN_SECONDS,
  DEFAULT_TIER_THRESHOLDS,
  onchainIdlAccounts,
  PROGRAM_FILE,
  registryAddresses,
} from '@agent-registry/program'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { keyOf, loadLocalnetKeys, type LocalnetKeys } from '../../platform/keys.ts'
import type { Logger } from '../../platform/logger.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { SAMPLE_DAYS } from './sample-agents.ts'
import { publishDocument, serveSampleDocuments } from './sample-documents.ts'
import { seedSampleAgents } from './seed.ts'
import { createTransactionSender, localnetFaucet, type TransactionSender } from './transaction-sender.ts'

const SERVICE_LAMPORTS = 1_000_000_000_000n
const SECONDS_PER_DAY = 86_400
const FUND_LAMPORTS = 1_000_000_000n
const FUND_USDC = 5_000_000_000n
const POLL_MS = 100

export type GatewayLocalnet = Awaited<ReturnType<typeof startGatewayLocalnet>>

/**
 * Starts the localnet on DATA_DIR with the registry program and the USDC mint in its genesis.
 * Throws OperatorError if the ledger in DATA_DIR has another build of the program.
 */
export async function startGatewayLocalnet(
  config: Config,
  { clock, logger }: { clock: Clock; logger: Logger },
) {
  const { programId } = config.ledger
  const keys = loadLocalnetKeys(config.dataDir)
  const localnet = await startLedgerOf(config, keys, { clock, logger })
  const documents = await serveSampleDocuments(config.dataDir)
  const connection = new Connection(localnet.rpcUrl, 'confirmed')
  const advance = async (): Promise<void> => localnet.stepSlot()

  return {
    rpcUrl: localnet.rpcUrl,
    wsUrl: localnet.wsUrl,
    keys,
    /** Base URL of an IPFS gateway with the sample documents and the published ones. */
    ipfsGateway: documents.url,
    /** Funds the keys, initializes the registry and registers the sample agents, once. */
    provision: async (): Promise<void> => {
      const faucet = localnetFaucet(connection, localnet.rpcUrl, advance)
      for (const key of [keys.feePayer, keys.registryAdmin, keys.reputationReporter]) {
        if ((await connection.getBalance(key.publicKey, 'processed')) === 0)
          await faucet.airdrop(keyOf(key), SERVICE_LAMPORTS)
      }
      const sender = createTransactionSender(connection, keys.feePayer, advance)
      await setUpRegistry({ connection, programId, keys, sender })
      const { dataDir } = config
      const count = config.localnet.seedAgents
      await seedSampleAgents({ count, dataDir, connection, programId, keys, sender, faucet, clock, logger })
    },
    publishDocument: (document: Uint8Array): string => publishDocument(config.dataDir, document),
    /** Gives 1 SOL and 5,000 USDC to a wallet. */
    fundWallet: async (owner: Pubkey): Promise<void> => {
      // The slots of a running localnet advance by themselves.
      const faucet = localnetFaucet(connection, localnet.rpcUrl, () => setTimeout(POLL_MS))
      await Promise.all([faucet.airdrop(owner, FUND_LAMPORTS), faucet.mintUsdc(owner, FUND_USDC)])
    },
    stop: async (): Promise<void> => {
      await documents.close()
      await localnet.close()
    },
  }
}

/** Throws OperatorError if the ledger in DATA_DIR has another build of the program. */
async function startLedgerOf(
  { dataDir, ledger: { programId }, localnet: settings }: Config,
  keys: LocalnetKeys,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<Localnet> {
  const localnet = await startLocalnet({
    dataDir: join(dataDir, 'localnet'),
    port: settings.port,
    slotMs: settings.slotMs,
    finalizedDepth: settings.finalitySlots,
    clock,
    logger,
    // Written at every start, so a new build of the gateway brings its IDL to an existing ledger.
    accounts: onchainIdlAccounts(programId),
    genesis: {
      // The sample agents have a week of history, so the clock starts a week ago.
      clockOffsetSeconds: settings.seedAgents > 0 ? -(SAMPLE_DAYS - 1) * SECONDS_PER_DAY : 0,
      faucet: keys.faucet,
      usdcMint: keys.usdcMint,
      usdcMintAuthority: keys.usdcMintAuthority,
      programs: [{ programId, elf: readFileSync(PROGRAM_FILE), authority: keyOf(keys.registryAdmin) }],
    },
  })
  if (localnet.outdatedPrograms.length === 0) return localnet
  await localnet.close()
  throw new OperatorError(
    `DATA_DIR: the ledger in ${dataDir} has the registry program of another version, whose events this version cannot read. ` +
      'Set DATA_DIR to a new directory, or start the version that created it.',
  )
}

const REPORTER_WEIGHT = 10

/** Initializes the registry and its reputation reporter, unless they exist. */
async function setUpRegistry(options: {
  connection: Connection
  programId: Pubkey
  keys: LocalnetKeys
  sender: TransactionSender
}): Promise<void> {
  const { connection, programId, keys, sender } = options
  const addresses = registryAddresses(programId)
  const exists = async (address: Pubkey): Promise<boolean> =>
    (await connection.getAccountInfo(new PublicKey(address), 'processed')) !== null

  const build = adminInstructions(programId, keyOf(keys.registryAdmin))
  const signers = [keys.registryAdmin]
  if (!(await exists(addresses.config()))) {
    const accounts = { usdcMint: keyOf(keys.usdcMint), treasury: keyOf(keys.registryAdmin) }
    const settings = { tierThresholds: DEFAULT_TIER_THRESHOLDS, cooldownSeconds: DEFAULT_COOLDOWN_SECONDS }
    await sender.send([{ instructions: [build.initialize(accounts, settings)], signers }])
  }
  const reporter = keyOf(keys.reputationReporter)
  if (!(await exists(addresses.reporter(reporter)))) {
    const register = build.registerReporter(reporter, { label: 'localnet', weight: REPORTER_WEIGHT })
    await sender.send([{ instructions: [register], signers }])
  }
}
