import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { Keypair, type TransactionInstruction, VersionedTransaction } from '@solana/web3.js'
import { LIGHTHOUSE_PROGRAM, type Pubkey } from '@agent-registry/solana'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLocalSigner } from '../../../src/platform/keys/fee-payer-signer.ts'
import type { RelayTiming } from '../../../src/relay/policy.ts'
import { createRelay } from '../../../src/relay/relay.ts'
import { createInviteCodes } from '../../../src/sponsorship/invite-codes.ts'
import { createSponsorship, type SponsorshipService } from '../../../src/sponsorship/sponsorship.ts'
import { HOSTILE_FILE } from '../hostile-program/build.ts'
import { createRegistryWorld, keyOf, programId, type RegistryWorld } from '../indexer/registry-world.ts'
import { FAST_TIMING } from '../relay/relay-world.ts'
import { createTestApp, SPONSOR_LIMITS, type TestApp } from '../app.ts'
import {
  json,
  type SubmittedTransaction,
  type Prepared,
  type SponsorClient,
  type ClientResponse,
} from './sponsor-clients.ts'
import { markSponsored } from './mark-sponsored.ts'
import { sponsoredRegistration } from './parties.ts'
import type { SponsorLimits } from '../../../src/domain/sponsorship.ts'

export { keyOf } from '../indexer/registry-world.ts'

/** Sponsorship in REST and GraphQL, on a real ledger with the registry and a real database. */
export interface HostileWorld extends RegistryWorld {
  readonly t: TestApp
  readonly feePayer: Keypair
  /** The operator's limits. Tests may change them. */
  readonly limits: { -readonly [Limit in keyof SponsorLimits]: SponsorLimits[Limit] }
  /** The JSON-RPC methods called so far, in order. */
  readonly calls: string[]
  /** Functions that run before a call of this method and may replace its parameters. */
  readonly intercept: Map<string, (params: unknown[]) => Promise<unknown[]>>
  /** The balance of the fee payer at processed. */
  balance(): Promise<number>
  /** A new invite code. */
  code(uses?: number): Promise<string>
  /** The number of sponsorships by state. */
  states(): Promise<Record<string, number>>
  /** Lets the wallet of an agent have sponsored transactions. */
  markSponsored(owner: Pubkey): Promise<void>
  /** Another replica on the same database. */
  replica(): SponsorshipService
  /** A wallet with a sponsored agent. */
  sponsoredWallet(api: SponsorClient): Promise<Keypair>
}

export interface HostileWorldOptions {
  slotMs?: number
  submitWaitMs?: number
  limits?: Partial<SponsorLimits>
  timing?: RelayTiming
  /** Where the log goes; nowhere by default. */
  log?: Writable
}

/**
 * The hostile program takes the place of Lighthouse. Its instruction data is a script: an assertion
 * of kind 5 and two zeros logs an empty text, and more may follow.
 */
export async function createHostileWorld(options: HostileWorldOptions = {}): Promise<HostileWorld> {
  const feePayer = Keypair.generate()
  const registry = await createRegistryWorld({
    slotMs: options.slotMs ?? 40,
    programs: [
      {
        programId: LIGHTHOUSE_PROGRAM,
        elf: readFileSync(HOSTILE_FILE),
        upgradeAuthority: keyOf(feePayer),
      },
    ],
  })
  const { connection, localnet } = registry
  await connection.requestAirdrop(feePayer.publicKey, 100_000_000_000)
  localnet.stepSlot(2)
  const calls: string[] = []
  const intercept: HostileWorld['intercept'] = new Map()
  const ledger = {
    ...registry.rpc,
    call: async <Result>(method: string, params: unknown[] = []): Promise<Result> => {
      calls.push(method)
      const hook = intercept.get(method)
      return registry.rpc.call(method, hook === undefined ? params : await hook(params))
    },
  }
  const timing = options.timing ?? FAST_TIMING
  const limits = { ...SPONSOR_LIMITS, ...options.limits }
  const t = await createTestApp({
    ledger,
    clock: systemClock,
    ...(options.log === undefined ? {} : { log: options.log }),
    relay: { registryProgram: programId, timing, submitWaitMs: options.submitWaitMs ?? 5_000 },
    sponsorship: {
      registryProgram: programId,
      timing,
      signer: createLocalSigner(feePayer),
      limits,
    },
  })
  t.relay.tracker.start()
  const codes = createInviteCodes(t.database.orm.em)

  const world: HostileWorld = {
    ...registry,
    t,
    feePayer,
    limits,
    calls,
    intercept,
    balance: () => connection.getBalance(feePayer.publicKey, 'processed'),
    code: async (uses = 1) => (await codes.create({ maxUses: uses, expiresAt: null })).code,
    states: async () => {
      const rows = await t.kysely.selectFrom('sponsorships').select('state').execute()
      const counts: Record<string, number> = {}
      for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1
      return counts
    },
    markSponsored: (owner) => markSponsored(t.kysely, owner),
    replica: () => {
      const base = {
        kysely: t.kysely,
        rpc: ledger,
        clock: systemClock,
        logger: SILENT,
        registryProgram: programId,
        timing,
      }
      const sponsorship = createSponsorship({ ...base, signer: createLocalSigner(feePayer), limits })
      const relay = createRelay({
        ...base,
        allowedPrograms: null,
        submitWaitMs: 0,
        sponsor: sponsorship.hooks,
      })
      return sponsorship.service(relay)
    },
    sponsoredWallet: async (api) => {
      const wallet = Keypair.generate()
      const inviteCode = await world.code()
      const { body } = await registerBy(api, wallet, keyOf(feePayer), inviteCode)
      const landed = await submitRegistrationBy(api, body, wallet, inviteCode)
      if (landed.body.status !== 'confirmed') throw new Error(`not registered: ${JSON.stringify(landed)}`)
      return wallet
    },
    close: async () => {
      await t.relay.tracker.stop()
      await t.close()
      await registry.close()
    },
  }
  return world
}

const SILENT = { warn: () => undefined }

/** Requests the registration of a wallet. */
export function registerBy(
  api: SponsorClient,
  wallet: Keypair,
  feePayer: Pubkey,
  inviteCode: string,
  instructions: TransactionInstruction[] = [sponsoredRegistration({ feePayer, wallet })],
): Promise<ClientResponse<Prepared>> {
  return api.register({ instructions: json(instructions), signerPubkey: keyOf(wallet), inviteCode })
}

export function submitRegistrationBy(
  api: SponsorClient,
  { id, serializedTx }: Prepared,
  wallet: Keypair,
  inviteCode: string,
): Promise<ClientResponse<SubmittedTransaction>> {
  const signedTx = signedBy(serializedTx, wallet)
  return api.submitRegistration({ id, signedTx, signerPubkey: keyOf(wallet), inviteCode })
}

/** Adds the wallet's signature to a prepared transaction. */
export function signedBy(serializedTx: string, ...wallets: Keypair[]): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  transaction.sign(wallets)
  return Buffer.from(transaction.serialize()).toString('base64')
}
