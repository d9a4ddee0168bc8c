import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Kysely } from 'kysely'
import { Keypair } from '@solana/web3.js'
import type { GenesisOptions } from '@agent-registry/localnet'
import type { Pubkey } from '@agent-registry/solana'
import { createLocalSigner, type FeePayerSigner } from '../../../src/platform/keys.ts'
import { createInviteCodes } from '../../../src/transactions/invite-codes.ts'
import {
  createRelayWorld,
  keyOf,
  type Prepared,
  type RecordBody,
  signed,
  type TestResponse,
  toJson,
  withoutFaults,
} from './relay-world.ts'
import { responseOf } from '../refusal.ts'
import { perFile } from '../lifetime.ts'
import { SPONSOR_LIMITS } from '../app.ts'
import type { RelayTiming } from '../../../src/transactions/limits.ts'
import { registrationOf } from './parties.ts'
import type { Database } from '../../../src/db/database.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import type { SponsorLimits } from '../../../src/domain/sponsorship.ts'

let clients = 0
/** A new client address, because each has five registrations. */
export const newClient = (): string => `198.18.${((clients += 1) >> 8) & 255}.${clients & 255}`

export interface SponsoredBody extends Prepared {
  sponsored?: true
  error?: string
  message?: string
}

interface RegisterOptions {
  owner?: Keypair
  inviteCode: string
  client?: string | undefined
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

export async function createSponsorWorld(
  signerOf: (feePayer: Keypair) => FeePayerSigner = createLocalSigner,
  { slotMs = 100, timing, submitWaitMs, lamports = 2_000_000_000, ...options }: SponsorWorldOptions = {},
) {
  const feePayer = Keypair.generate()
  /** The operator's limits. Tests may change them at any time. */
  const limits: { -readonly [Name in keyof SponsorLimits]: SponsorLimits[Name] } = {
    ...SPONSOR_LIMITS,
    ...options.limits,
  }
  const world = await createRelayWorld({
    ...options,
    // A prepared transaction must not expire while a busy machine runs a test: 182 slots.
    slotMs,
    transactions: {
      sponsor: { signer: signerOf(feePayer), limits },
      ...(timing && { timing }),
      ...(submitWaitMs !== undefined && { submitWaitMs }),
    },
  })
  await world.connection.requestAirdrop(feePayer.publicKey, lamports)
  world.localnet.stepSlot(2)
  const { app, kysely, database } = world.t
  const codes = createInviteCodes(database.orm.em)
  const send = async <Body>(
    url: string,
    body: unknown,
    remoteAddress = newClient(),
  ): Promise<TestResponse<Body>> => {
    const response = await app.inject({ method: 'POST', url, payload: body as object, remoteAddress })
    return responseOf(response)
  }
  const register = ({
    owner = Keypair.generate(),
    inviteCode,
    client,
    name = 'Sponsored',
  }: RegisterOptions) => {
    const instructions = [toJson(registrationOf(keyOf(owner), keyOf(feePayer), { name }))]
    const body = { instructions, signerPubkey: keyOf(owner), inviteCode }
    return send<SponsoredBody>('/sponsor/register', body, client)
  }
  const submitRegistration = (
    { id, serializedTx }: Pick<Prepared, 'id' | 'serializedTx'>,
    owner: Keypair,
    inviteCode: string,
    client?: string,
  ) => {
    const signedTx = signed({ serializedTx }, owner)
    const body = { id, signedTx, signerPubkey: keyOf(owner), inviteCode }
    type Body = RecordBody & { sponsored?: true; error: unknown }
    return send<Body>('/sponsor/register/submit', body, client)
  }
  return {
    ...world,
    feePayer,
    limits,
    codes,
    code: async (maxUses = 1) => (await codes.create({ maxUses, expiresAt: null })).code,
    send,
    register,
    submitRegistration,
    /** Registers a new wallet. Returns the status of the response that ended it. */
    registerAndSubmit: async (inviteCode: string, client?: string) => {
      const owner = Keypair.generate()
      const { status, body } = await register({ owner, inviteCode, client })
      return status === 200 ? (await submitRegistration(body, owner, inviteCode, client)).status : status
    },
    markSponsored: (owner: Pubkey) => markSponsored(kysely, owner),
    /** The rows of a wallet in `sponsorships`, oldest first. */
    sponsorships: (owner: Keypair) =>
      kysely
        .selectFrom('sponsorships')
        .select(['id', 'state', 'spent_lamports'])
        .where('wallet', '=', keyOf(owner))
        .orderBy('created_at')
        .execute(),
    /** Another replica on the same database, whose node is `rpc`. */
    sponsorReplica: (rpc: LedgerRpc) =>
      world.replica({ rpc, sponsor: { signer: createLocalSigner(feePayer), limits } }),
    balance: () => world.connection.getBalance(feePayer.publicKey, 'confirmed'),
  }
}
export type SponsorWorld = Awaited<ReturnType<typeof createSponsorWorld>>

/** The world of a test file. The faults of its ledger end with each test. */
export const useSponsorWorld = (...given: Parameters<typeof createSponsorWorld>): SponsorWorld =>
  withoutFaults(perFile(() => createSponsorWorld(...given)))

/** As if the service had sponsored the wallet's registration two days ago, at no cost. */
async function markSponsored(kysely: Kysely<Database>, wallet: Pubkey): Promise<void> {
  const hash = `code of ${wallet}`
  await kysely.insertInto('invite_codes').values({ hash, max_uses: 1 }).execute()
  await kysely
    .insertInto('sponsorships')
    .values({
      id: randomUUID(),
      kind: 'registration',
      wallet,
      code_hash: hash,
      state: 'confirmed',
      reserved_lamports: 0,
      spent_lamports: 0,
      created_at: new Date(Date.now() - 2 * 86_400_000).toISOString(),
    })
    .execute()
}
