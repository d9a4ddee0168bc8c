import { registryAddresses, registryInstruction } from '@agent-registry/program'
import { Keypair } from '@solana/web3.js'
import { expect, vi } from 'vitest'
import { clientNetwork } from '../../../../src/domain/client-network.ts'
import { maxCost, SPONSOR_POLICY } from '../../../../src/transactions/sponsor-policy.ts'
import { createInviteCodes, inviteCodeHash } from '../../../../src/transactions/invite-codes.ts'
import { FEE_PAYER, PROGRAM } from '../../../support/app.ts'
import { eventually } from '../../../support/eventually.ts'
import { registrationArgs } from '../../../support/ledger/registry-world.ts'
import { type Prepared, signed, toJson } from '../../../support/transactions/relay-world.ts'
import { walletOf } from '../../../support/wallet.ts'
import { type Cases, answerOf, testedIn, equals, least, list, lowered, most } from './check.ts'
import { KEY, address, clock, config, label, last, scriptedLedger, localnet, post, send, t } from './world.ts'

const LAMPORTS_PER_BYTE = 5_000
/** The bytes of an account in addition to its data. */
const ACCOUNT_OVERHEAD = 128
const AGENT_BYTES = SPONSOR_POLICY.registration.creates.bytes + ACCOUNT_OVERHEAD
const INSTRUCTION = { programId: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', keys: [] }
const memo = (bytes: number) => ({ ...INSTRUCTION, data: Buffer.alloc(bytes, 65).toString('base64') })
const prepare = (instructions: object[], more: object = {}) =>
  post('/relay/prepare', { instructions, signerPubkeys: [walletOf('payer').pubkey], ...more })
/** The compute units and the priority fee of a prepared transaction. */
const prepared = async (units: number): Promise<{ estimatedComputeUnits: number; priorityFee: number }> => {
  uses(units)
  return (await prepare([memo(1)], { priorityLevel: 'high' })).json()
}
/** The simulation uses as many units as lead to this compute-unit limit of the transaction. */
function uses(limit: number): void {
  scriptedLedger['simulateTransaction'] = {
    value: { err: null, unitsConsumed: Math.ceil((limit * 100) / 120), logs: [] },
  }
}

interface Sponsored {
  kind?: 'registration' | 'transaction'
  wallet?: string
  client_network?: string
  spent_lamports?: number
  code_hash?: string | null
  state?: 'confirmed' | 'failed'
}
const store = (count: number, row: Sponsored): Promise<unknown> =>
  count === 0
    ? Promise.resolve()
    : t.kysely
        .insertInto('sponsorships')
        .values(
          list(count, () => ({
            id: label(),
            kind: 'transaction' as const,
            wallet: label(),
            state: 'confirmed' as const,
            reserved_lamports: 0,
            ...row,
          })),
        )
        .execute()
const addresses = registryAddresses(PROGRAM)
const newCode = async (maxUses = 1): Promise<string> =>
  (await createInviteCodes(t.database.orm.em).create({ maxUses, expiresAt: null })).code
/** Sets amounts of the ledger. The service caches them for less than an hour. */
function setLedger({ units = 1_000, balance = 2_000_000_000, perByte = LAMPORTS_PER_BYTE } = {}): void {
  clock.time += 3_600_000
  uses(units)
  scriptedLedger['getBalance'] = { value: balance }
  scriptedLedger['getMinimumBalanceForRentExemption'] = perByte * ACCOUNT_OVERHEAD
}
type Given = Parameters<typeof setLedger>[0] & { ip?: string; name?: string; code?: string; count?: number }
async function register({ ip = address(), name = label(), code, ...amounts }: Given = {}): Promise<string> {
  setLedger(amounts)
  const { pubkey: owner } = walletOf(name)
  const accounts = { payer: FEE_PAYER, owner, agent: addresses.agent(owner) }
  const instructions = [
    toJson(registryInstruction(PROGRAM, 'register_agent', accounts, registrationArgs('x'))),
  ]
  const body = { instructions, signerPubkey: owner, inviteCode: code ?? (await newCode()) }
  return send('/sponsor/register', body, {}, ip)
}
/** Prepares transactions of a wallet whose registration the service paid. */
async function sponsor({ ip = address(), name = label(), count = 1, ...amounts }: Given = {}) {
  setLedger(amounts)
  const { pubkey: owner } = walletOf(name)
  await store(1, { kind: 'registration', wallet: owner, code_hash: inviteCodeHash(await newCode()) })
  const accounts = { owner, agent: addresses.agent(owner) }
  const update = toJson(registryInstruction(PROGRAM, 'update_agent', accounts, { name: 'x' }))
  const body = { instructions: list(count, () => update), signerPubkeys: [owner], priorityLevel: 'high' }
  return post('/relay/prepare/sponsored', body, {}, ip)
}
const sponsorAs = async (given: Given): Promise<string> => answerOf(await sponsor(given))
/** A registration or another transaction with which the lamports of a day are exactly `total`. */
const spending =
  (kind: 'registration' | 'transaction') =>
  async (total: number): Promise<string> => {
    const code_hash = kind === 'registration' ? inviteCodeHash(await newCode()) : null
    await store(1, { kind, code_hash, spent_lamports: total - costOf(kind) })
    const outcome = await (kind === 'registration' ? register() : sponsorAs({}))
    await t.kysely.deleteFrom('sponsorships').execute()
    return outcome
  }
const costOf = (kind: 'registration' | 'transaction', perByte = LAMPORTS_PER_BYTE): number =>
  Number(maxCost(kind, BigInt(perByte * AGENT_BYTES)))

export const moneyCases: Cases = {
  Relay: {
    Instructions: most(async (n) => answerOf(await prepare(list(n, () => memo(1))))),
    // All but the text of the memo.
    'Transaction with signatures': most(async (n) => answerOf(await prepare([memo(n - 224)]))),
    '`accountKeys` of a fee estimate': most((n) =>
      send('/relay/estimate-fees', { accountKeys: list(n, () => KEY) }),
    ),
    'Compute units': lowered(async (n) => (await prepared(n)).estimatedComputeUnits),
    'Priority fee': equals(async () => (await prepared(1_000)).priorityFee),
    'Time that a submit waits for `confirmed`': async (n) => {
      const payer = Keypair.generate()
      const prepared = (
        await prepare([memo(1)], { signerPubkeys: [payer.publicKey.toBase58()] })
      ).json<Prepared>()
      const begin = clock.time
      const clockReads = vi.spyOn(clock, 'now')
      let response: unknown
      void send('/relay/submit', { id: prepared.id, signedTx: signed(prepared, payer) }).then(
        (outcome) => (response = outcome),
      )
      // The wait begins at this time, right after the send is stored. It compares the time each 500
      // ms.
      const rows = t.kysely.selectFrom('prepared_transactions').selectAll().where('id', '=', prepared.id)
      await eventually(async () => expect((await rows.executeTakeFirst())?.sent_at).not.toBeNull())
      expect(await rows.executeTakeFirst()).toMatchObject({ status: 'submitted' })
      clock.time = begin + n - 1
      const before = clockReads.mock.calls.length
      await eventually(() => expect(clockReads.mock.calls.length).toBeGreaterThan(before + 1))
      expect(response).toBeUndefined()
      clock.time = begin + n
      await eventually(() => expect(response).toBe('ok'))
      clockReads.mockRestore()
    },
  },
  Sponsorship: {
    'Sponsored registrations of a wallet': testedIn(
      'api/transactions/register',
      'refuses a second registration of a wallet or a code, and the sixth of a client',
    ),
    'Sponsored registrations of a client network: signed in 24 hours, or prepared and not expired': [
      most(async (n) => {
        const [ip, code] = [address(), inviteCodeHash(await newCode())]
        await store(n - 2, { kind: 'registration', client_network: clientNetwork(ip), code_hash: code })
        return last(2, () => register({ ip }))
      }),
      equals(() => localnet.sponsorship.dailyRegistrationsPerClient),
    ],
    'Other sponsored transactions of a wallet in 24 hours': most(async (n) => {
      const name = label()
      await store(n - 1, { wallet: walletOf(name).pubkey })
      return sponsorAs({ name })
    }),
    'Other sponsored transactions of a client network in 24 hours': most(async (n) => {
      const ip = address()
      await store(n - 1, { client_network: clientNetwork(ip) })
      return sponsorAs({ ip })
    }),
    'Failed registrations of an invite code that return its use': most(async (n) => {
      const code = await newCode()
      await store(n, { kind: 'registration', state: 'failed', code_hash: inviteCodeHash(code) })
      return register({ code })
    }),
    'Lamports for sponsorship in 24 hours': [
      most(spending('registration')),
      equals(() => Number(localnet.sponsorship.dailyBudget)),
    ],
    'Part of these lamports for other transactions': (n, row) =>
      most(spending('transaction'))((Number(config.sponsorship.dailyBudget) * n) / 100, row),
    'Minimum balance of the fee payer in lamports': least((n) =>
      register({ balance: n + costOf('registration') }),
    ),
    // The cost grows with the rent of a byte.
    'Lamports for one transaction': (n, row) =>
      most((perByte) => register({ perByte }))(
        Math.floor((n - costOf('registration', 0)) / AGENT_BYTES),
        row,
      ),
    'Compute units of a registration': most((units) => register({ units })),
    'Compute units of another transaction': most((units) => sponsorAs({ units })),
    'Instructions of another transaction': most((count) => sponsorAs({ count })),
    'Priority fee': equals(async () => (await sponsor()).json<{ priorityFee: number }>().priorityFee),
  },
}
