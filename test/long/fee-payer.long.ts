import { Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js'
import * as fc from '../support/property.ts'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { SYSTEM_PROGRAM } from '@agent-registry/solana'
import { registryInstruction } from '@agent-registry/program'
import { addresses, type AgentWallet, programId, registrationArgs } from '../support/ledger/registry-world.ts'
import {
  graphqlClient,
  type SubmittedTransaction,
  type Prepared,
  restClient,
  type SponsorClient,
  type ClientResponse,
} from '../support/transactions/sponsor-clients.ts'
import { type RandomCase, randomCase } from '../support/transactions/random-cases.ts'
import { type Participants, requestOf } from './support/random-requests.ts'
import { signCase } from './support/random-signing.ts'
import { createHostileWorld, keyOf } from '../support/transactions/hostile-world.ts'
import { perFile } from '../support/lifetime.ts'

const CASES = Number(process.env.PROPERTY_CASES ?? 10_000)
const SEED = fc.seedOf()

/**
 * Lamports: two signatures, and the maximum of compute units and price. Repeated here, so that a
 * policy with higher limits fails this test.
 */
const FEE_CAP = { registration: 10_000 + 6_000, transaction: 10_000 + 15_000 }
const AGENT_BYTES = 421
const CHEAPEST_FEE = 10_000
const WALLETS = 16
const NO_LIMIT = 10n ** 15n

const world = perFile(() =>
  createHostileWorld({
    slotMs: 0,
    submitWaitMs: 0,
    limits: {
      dailyBudget: NO_LIMIT,
      minBalance: 0n,
      dailyTransactionsPerWallet: 10 ** 9,
      dailyTransactionsPerClient: 10 ** 9,
    },
    timing: { pollMs: 500, finalityPollMs: 2_000, resendMs: 2_000, leaseMs: 10_000, idlePollMs: 500 },
  }),
)
let agents: AgentWallet[]
/** Three registrations in a row share a code with two uses. */
let code: string
const CODE_USES = 2
const CASES_PER_CODE = 3
let rent: number
beforeAll(async () => {
  agents = []
  for (let i = 0; i < WALLETS; i += 1) agents.push(await sponsoredAgent(`Wallet ${i}`))
  rent = await world.connection.getMinimumBalanceForRentExemption(AGENT_BYTES)
  await world.rpc.call('localnet_mintUsdc', [keyOf(world.feePayer), 1_000_000])
  await world.connection.requestAirdrop(world.feePayer.publicKey, 900_000_000_000)
  world.localnet.stepSlot(2)
})

async function sponsoredAgent(name: string): Promise<AgentWallet> {
  const agent = await world.wallet(name)
  await world.markSponsored(agent.owner)
  return agent
}

const outcomes = new Map<string, number>()
const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)

let number = 0
let registrations = 0
let another: string | null = null
const signatures = new Set<string>()
/** Of transactions that were signed, and sent when their blockhash had expired. */
const expired = new Set<string>()

test(`${CASES} random sponsored transactions cost the fee payer at most what the policy allows`, async () => {
  process.stdout.write(`PROPERTY_SEED=${SEED} PROPERTY_CASES=${CASES}\n`)
  const start = await world.balance()
  const tokens = await tokensOfFeePayer()
  const known = await transactionsOnLedger()
  await fc.assert(fc.asyncProperty(randomCase, runCase), {
    seed: SEED,
    numRuns: CASES,
    // Each case continues on the ledger of the previous cases.
    endOnFailure: true,
  })
  const lost = start - (await world.balance())
  const table = [...outcomes]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, n]) => `${String(n).padStart(6)}  ${name}`)
  process.stdout.write(`${table.join('\n')}\nlost ${lost} lamports in ${signatures.size} transactions\n`)

  const landed = outcomes.get('landed') ?? 0
  // The property would prove nothing if all cases were refused.
  expect(landed).toBeGreaterThan(CASES / 5)
  expect(landed).toBeLessThan(CASES)
  expect(await tokensOfFeePayer()).toBe(tokens)
  const account = await world.connection.getAccountInfo(world.feePayer.publicKey, 'processed')
  expect(account?.data).toHaveLength(0)
  expect(account?.owner.toBase58()).toBe(SYSTEM_PROGRAM)
  world.localnet.stepSlot(2)
  // The fee payer signed only transactions whose responses are accounted for.
  expect((await transactionsOnLedger()).difference(known)).toEqual(signatures)
  expect(await signedOnRecord()).toEqual(signatures.union(expired))
  expect(await overusedCodes()).toEqual([])
}, 3_600_000)

async function runCase(random: RandomCase): Promise<void> {
  number += 1
  world.localnet.stepSlot()
  if (random.operation === 'register' && registrations++ % CASES_PER_CODE === 0)
    code = await world.code(CODE_USES)
  const cast = castOf(random)
  const api = clientOf(random)
  const before = await world.balance()
  const prepared = await prepare(random, cast, api)
  noServerError(prepared)
  if (prepared.status !== 200) {
    count(`refused when prepared: ${prepared.status}`)
    within(before - (await world.balance()), 0, 0)
    return
  }
  await meanwhile(random, cast)
  const signedTx = signCase(random.signing, prepared.body.serializedTx, cast, another)
  another = signedTx
  if (signedTx === null) {
    count('cannot be built')
    return
  }
  const answers = await Promise.all(
    Array.from({ length: random.submits }, () => submit(random, cast, api, prepared.body, signedTx)),
  )
  const lost = before - (await world.balance())
  for (const answer of answers) noServerError(answer)
  const accepted = answers.find((each) => each.status === 200 && each.body.signature !== null)
  if (accepted === undefined) {
    const [first] = answers
    const how = first?.status === 200 ? `simulation (${random.between})` : String(first?.status)
    count(`refused when submitted: ${how}`)
    within(lost, 0, 0)
    return
  }
  const signature = accepted.body.signature ?? ''
  if (signatures.has(signature)) {
    // Prepared twice with one blockhash: the same bytes, which the ledger accepts once.
    count('the same transaction once more')
    within(lost, 0, 0)
    return
  }
  if (
    lost === 0 &&
    (await world.connection.getBlockHeight('processed')) >= prepared.body.lastValidBlockHeight
  ) {
    // Prepared with a blockhash that was cached, and more than 150 cases ended within a second.
    count('sent in its last block')
    expired.add(signature)
    return
  }
  signatures.add(signature)
  check(lost, random.operation === 'register', feeOf(signedTx))
  count(accepted.body.error === null ? 'landed' : `sent: ${accepted.body.error.code}`)
  count(`  landed ${random.signing.kind}`)
}

function check(lost: number, isRegistration: boolean, fee: number): void {
  const cap = isRegistration ? rent + FEE_CAP.registration : FEE_CAP.transaction
  within(lost, CHEAPEST_FEE, Math.min(cap, isRegistration ? rent + fee : fee))
}

function within(lost: number, least: number, most: number): void {
  if (lost < least || lost > most)
    throw new Error(`the fee payer lost ${lost} lamports, not ${least} to ${most}`)
}

function noServerError({ status, error }: ClientResponse<unknown>): void {
  if (status >= 500) throw new Error(`answered ${status}: ${error}`)
}

/**
 * Wallets without an agent register. Wallets with an agent do the rest, and sometimes register
 * again.
 */
function castOf({ operation, wallet }: RandomCase): Participants {
  const agent = agents[wallet % WALLETS] ?? null
  const stranger = agents[(wallet + 1) % WALLETS]?.keypair ?? Keypair.generate()
  const shared = { feePayer: keyOf(world.feePayer), stranger, number }
  const isFresh = operation === 'register' ? wallet % 10 > 0 : agent === null
  return isFresh
    ? { ...shared, wallet: Keypair.generate(), agent: null }
    : { ...shared, wallet: agent?.keypair ?? stranger, agent }
}

/** Each case has its own client network, because another test checks its limit. */
function clientOf({ useGraphQL: byGraphQL }: RandomCase): SponsorClient {
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return (byGraphQL ? graphqlClient : restClient)(world.t, { address })
}

function prepare(
  random: RandomCase,
  cast: Participants,
  api: SponsorClient,
): Promise<ClientResponse<Prepared>> {
  const { instructions, signers } = requestOf(random, cast)
  if (random.operation === 'register') {
    return api.register({ instructions, signerPubkey: signers.at(-1), inviteCode: code })
  }
  const body = { instructions, signerPubkeys: signers, priorityLevel: random.level }
  return random.operation === 'sponsored' ? api.prepareSponsored(body) : api.prepareFlagged(body)
}

function submit(
  random: RandomCase,
  { wallet }: Participants,
  api: SponsorClient,
  { id }: Prepared,
  signedTx: string,
): Promise<ClientResponse<SubmittedTransaction>> {
  return (random.operation === 'register') === random.wrongEndpoint
    ? api.submit({ id, signedTx })
    : api.submitRegistration({ id, signedTx, signerPubkey: keyOf(wallet), inviteCode: code })
}

async function meanwhile(random: RandomCase, { wallet, agent, stranger }: Participants): Promise<void> {
  if (random.between === 'expires') world.localnet.stepSlot(160)
  if (random.between !== 'breaks it') return
  const owner = keyOf(wallet)
  if (agent !== null) {
    await world.transact([agent.instruction('deactivate_agent')], [wallet])
    agents[agents.indexOf(agent)] = await sponsoredAgent(`Wallet ${number}`)
    return
  }
  const register = registryInstruction(
    programId,
    'register_agent',
    { payer: keyOf(stranger), owner, agent: addresses.agent(owner) },
    registrationArgs('First'),
  )
  await world.transact([register], [wallet, stranger])
}

/** The fee of a transaction with this limit and price in lamports, by Solana's rule. */
function feeOf(signedTx: string): number {
  const { message } = VersionedTransaction.deserialize(Buffer.from(signedTx, 'base64'))
  const budget = message.compiledInstructions
    .filter((each) => message.staticAccountKeys[each.programIdIndex]?.toBase58().startsWith('ComputeBudget'))
    .map(({ data }) => Buffer.from(data))
  const limit = budget.find((each) => each[0] === 2)?.readUInt32LE(1) ?? 0
  const price = budget.find((each) => each[0] === 3)?.readBigUInt64LE(1) ?? 0n
  const micro = BigInt(limit) * price
  return 5_000 * message.header.numRequiredSignatures + Number((micro + 999_999n) / 1_000_000n)
}

async function tokensOfFeePayer(): Promise<string> {
  const owned = await world.connection.getTokenAccountsByOwner(
    world.feePayer.publicKey,
    { mint: new PublicKey(world.usdcMint) },
    'processed',
  )
  return owned.value.map((each) => Buffer.from(each.account.data).toString('hex')).join()
}

async function transactionsOnLedger(): Promise<Set<string>> {
  const found = new Set<string>()
  let beforeSignature: string | undefined
  for (;;) {
    const page = await world.connection.getSignaturesForAddress(
      world.feePayer.publicKey,
      { limit: 1_000, ...(beforeSignature === undefined ? {} : { before: beforeSignature }) },
      'confirmed',
    )
    for (const { signature } of page) found.add(signature)
    beforeSignature = page.at(-1)?.signature
    if (page.length < 1_000) return found
  }
}

async function signedOnRecord(): Promise<Set<string>> {
  const rows = await world.t.kysely
    .selectFrom('sponsorships')
    .select('signature')
    .where('signature', 'is not', null)
    .execute()
  return new Set(rows.map(({ signature }) => signature ?? ''))
}

/** The codes with more registrations than uses, where up to three failed ones return their use. */
async function overusedCodes(): Promise<unknown[]> {
  const { rows } = await sql`
    select code_hash from sponsorships join invite_codes on hash = code_hash where state <> 'released'
    group by code_hash, max_uses
    having count(*) filter (where state <> 'failed') + greatest(0, count(*) filter (where state = 'failed') - 3)
      > max_uses`.execute(world.t.kysely)
  return rows
}
