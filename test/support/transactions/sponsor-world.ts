import type { Writable } from 'node:stream'
import { Keypair } from '@solana/web3.js'
import type { GenesisOptions } from '@agent-registry/localnet'
import type { Pubkey } from '@agent-registry/solana'
import { createLocalSigner, type FeePayerSigner } from '../../../src/platform/keys.ts'
import { createInviteCodes, type InviteCodes } from '../../../src/transactions/invite-codes.ts'
import type { Transactions } from '../../../src/transactions/transactions.ts'
import {
  createRelayWorld,
  keyOf,
  type Prepared,
  type RecordBody,
  type RelayWorld,
  signed,
  type TestResponse,
  toJson,
} from './relay-world.ts'
import { SPONSOR_LIMITS } from '../app.ts'
import type { RelayTiming } from '../../../src/transactions/limits.ts'
import { registrationOf } from './parties.ts'
import { markSponsored } from './mark-sponsored.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import type { SponsorLimits } from '../../../src/domain/sponsorship.ts'

/** A new client address for each test, because each address has five registrations. */
let clients = 0
export const newClient = (): string => `198.51.100.${(clients += 1)}`

export interface SponsoredBody extends Prepared {
  sponsored?: true
  error?: string
  message?: string
}

export interface SponsorWorld extends RelayWorld {
  readonly feePayer: Keypair
  readonly codes: InviteCodes
  /** The operator's limits. Tests may change them at any time. */
  readonly limits: { -readonly [Name in keyof SponsorLimits]: SponsorLimits[Name] }
  /** A code with this number of uses. */
  code(maxUses?: number): Promise<string>
  send<Body>(path: string, body: unknown, client?: string): Promise<TestResponse<Body>>
  register(options: RegisterOptions): Promise<TestResponse<SponsoredBody>>
  /** Signs as the owner and submits. */
  submitRegistration(
    prepared: Pick<Prepared, 'id' | 'serializedTx'>,
    owner: Keypair,
    inviteCode: string,
    client?: string,
  ): Promise<TestResponse<RecordBody & { sponsored?: true; error: unknown }>>
  /** Registers a new wallet. Returns the status of the response that ended it. */
  registerAndSubmit(inviteCode: string, client?: string): Promise<number>
  /** Lets the wallet of an agent have sponsored transactions. */
  markSponsored(owner: Pubkey): Promise<void>
  /** The rows of a wallet in `sponsorships`, oldest first. */
  sponsorships(owner: Keypair): Promise<{ state: string; id: string; spent_lamports: number | null }[]>
  balance(): Promise<number>
  /** Another replica on the same database, whose node is `rpc`. */
  sponsorReplica(rpc: LedgerRpc): Transactions
}

export interface RegisterOptions {
  owner?: Keypair
  inviteCode: string
  client?: string
  name?: string
}

export interface SponsorWorldOptions {
  readonly slotMs?: number
  readonly finalizedDepth?: number
  readonly programs?: GenesisOptions['programs']
  readonly timing?: RelayTiming
  readonly submitWaitMs?: number
  readonly limits?: Partial<SponsorLimits>
  readonly log?: Writable
  /** Of the fee payer. Default: 2 SOL. */
  readonly lamports?: number
}

/** The relay world with sponsorship. */
export async function createSponsorWorld(
  signerOf: (feePayer: Keypair) => FeePayerSigner = createLocalSigner,
  { slotMs = 100, timing, submitWaitMs, lamports = 2_000_000_000, ...options }: SponsorWorldOptions = {},
): Promise<SponsorWorld> {
  const feePayer = Keypair.generate()
  const limits = { ...SPONSOR_LIMITS, ...options.limits }
  const relayWorld = await createRelayWorld({
    // A prepared transaction must not expire while a busy machine runs a test: 182 slots.
    slotMs,
    finalizedDepth: options.finalizedDepth,
    programs: options.programs,
    log: options.log,
    transactions: {
      sponsor: { signer: signerOf(feePayer), limits },
      ...(timing && { timing }),
      ...(submitWaitMs !== undefined && { submitWaitMs }),
    },
  })
  await relayWorld.connection.requestAirdrop(feePayer.publicKey, lamports)
  relayWorld.localnet.stepSlot(2)
  const codes = createInviteCodes(relayWorld.t.database.orm.em)
  const world: SponsorWorld = {
    ...relayWorld,
    feePayer,
    limits,
    codes,
    code: async (maxUses = 1) => (await codes.create({ maxUses, expiresAt: null })).code,
    send: async (path, body, client = newClient()) => {
      const response = await world.t.app.inject({
        method: 'POST',
        url: path,
        payload: body as object,
        remoteAddress: client,
      })
      return { status: response.statusCode, body: response.json() }
    },
    register: ({ owner = Keypair.generate(), inviteCode, client, name = 'Sponsored' }) =>
      world.send(
        '/sponsor/register',
        {
          instructions: [toJson(registrationOf(keyOf(owner), keyOf(feePayer), { name }))],
          signerPubkey: keyOf(owner),
          inviteCode,
        },
        client,
      ),
    submitRegistration: ({ id, serializedTx }, owner, inviteCode, client) => {
      const signedTx = signed({ serializedTx }, owner)
      const body = { id, signedTx, signerPubkey: keyOf(owner), inviteCode }
      return world.send('/sponsor/register/submit', body, client)
    },
    registerAndSubmit: async (inviteCode, client) => {
      const owner = Keypair.generate()
      const { status, body } = await world.register({ owner, inviteCode, client })
      return status === 200
        ? (await world.submitRegistration(body, owner, inviteCode, client)).status
        : status
    },
    markSponsored: (owner) => markSponsored(world.t.kysely, owner),
    sponsorships: (owner) =>
      world.t.kysely
        .selectFrom('sponsorships')
        .select(['id', 'state', 'spent_lamports'])
        .where('wallet', '=', keyOf(owner))
        .orderBy('created_at')
        .execute(),
    sponsorReplica: (rpc) => world.replica({ rpc, sponsor: { signer: createLocalSigner(feePayer), limits } }),
    balance: () => world.connection.getBalance(feePayer.publicKey, 'confirmed'),
  }
  return world
}
