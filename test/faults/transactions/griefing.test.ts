import { Writable } from 'node:stream'
import { ComputeBudgetProgram, Keypair, SystemProgram } from '@solana/web3.js'
import bs58 from 'bs58'
import { describe, expect, test } from 'vitest'
import {
  CLIENTS,
  json,
  type Prepared,
  restClient,
  type SponsorClient,
} from '../../support/transactions/sponsor-clients.ts'
import { ownInstruction, update } from '../../support/transactions/parties.ts'
import {
  createHostileWorld,
  keyOf,
  registerBy,
  submitRegistrationBy,
} from '../../support/transactions/hostile-world.ts'
import { signed } from '../../support/transactions/relay-world.ts'
import { perFile } from '../../support/lifetime.ts'
import { newClient } from '../../support/transactions/sponsor-world.ts'

const world = perFile(() =>
  createHostileWorld({
    slotMs: 100,
    log: new Writable({
      write: (chunk: Buffer, _, done) => {
        log += chunk.toString()
        done()
      },
    }),
  }),
)
let log = ''

async function prepared(api: SponsorClient): Promise<{ wallet: Keypair; code: string; body: Prepared }> {
  const [wallet, code] = [Keypair.generate(), await world.code()]
  const { status, body, error } = await registerBy(api, wallet, keyOf(world.feePayer), code)
  expect([status, error]).toEqual([200, ''])
  return { wallet, code, body }
}

describe.each(CLIENTS.map((api) => [api({ app: undefined as never }).name, api] as const))(
  'through %s',
  (_, open) => {
    const client = () => open(world.t, { address: newClient() })

    test('closing a sponsored agent returns the rent, and the wallet is not sponsored again', async () => {
      const api = client()
      const before = await world.balance()
      const wallet = await world.sponsoredWallet(api)
      const spent = before - (await world.balance())
      await world.connection.requestAirdrop(wallet.publicKey, 100_000_000)
      world.localnet.stepSlot(2)
      const close = (rentPayer: Keypair) =>
        ownInstruction(wallet, 'close_agent', { rentPayer: keyOf(rentPayer) })
      await world.transact([ownInstruction(wallet, 'deactivate_agent')], [wallet])
      await expect(world.transact([close(wallet)], [wallet])).rejects.toThrow(/custom program error/)
      await world.transact([close(world.feePayer)], [wallet])
      const rent = await world.connection.getMinimumBalanceForRentExemption(421)
      expect(before - (await world.balance())).toBe(spent - rent)
      const code = await world.code()
      expect(await registerBy(api, wallet, keyOf(world.feePayer), code)).toMatchObject({
        status: 409,
        error: `Wallet ${keyOf(wallet)} has already received a sponsored registration`,
      })
    })

    test("the ids of expired and of other clients' transactions are refused", async () => {
      const api = client()
      const mine = await prepared(api)
      const theirs = await prepared(api)
      const body = {
        id: theirs.body.id,
        signedTx: signed(mine.body, mine.wallet),
        signerPubkey: keyOf(mine.wallet),
        inviteCode: mine.code,
      }
      expect((await api.submitRegistration(body)).status).toBe(403)
      const before = await world.balance()
      // Submitted before the service knows that it has expired.
      world.localnet.fault.http({ methods: ['getEpochInfo'], status: 503 })
      world.localnet.stepSlot(200)
      const early = await submitRegistrationBy(api, theirs.body, theirs.wallet, theirs.code)
      world.localnet.fault.clear()
      expect([early.status, early.error]).toEqual([410, 'Transaction expired'])
      await expect.poll(async () => (await api.status(mine.body.id)).body.status).toBe('failed')
      const late = await submitRegistrationBy(api, mine.body, mine.wallet, mine.code)
      expect([late.status, late.error]).toEqual([410, 'Transaction expired'])
      expect(await world.balance()).toBe(before)
    })
  },
)

test('the fee payer’s private key is in no response and in no log line', async () => {
  const api = restClient(world.t, { address: newClient() })
  const { wallet, code, body } = await prepared(api)
  // A failure is logged.
  world.localnet.fault.http({ methods: ['simulateTransaction'], status: 503 })
  const failed = await submitRegistrationBy(api, body, wallet, code)
  world.localnet.fault.clear()
  expect([failed.status, failed.error]).toEqual([503, 'The ledger RPC node is not available'])
  const { body: landing } = await submitRegistrationBy(api, body, wallet, code)
  expect(landing.status).toBe('confirmed')
  const health = await world.t.app.inject('/health/detailed')
  const metrics = await world.t.app.inject('/metrics')
  const texts = [log, JSON.stringify([body, landing]), health.body, metrics.body].join('\n')
  const secret = Buffer.from(world.feePayer.secretKey)
  const seed = secret.subarray(0, 32)
  for (const form of [secret, seed].flatMap((each) => [
    each.toString('base64').replaceAll('=', ''),
    each.toString('hex'),
    bs58.encode(each),
    [...each].join(','),
  ]))
    expect(texts).not.toContain(form)
  expect(log).not.toBe('')
})

test('when fees are high, the fee payer pays at most the price of the policy', async () => {
  const agent = await world.wallet('In a hurry')
  await world.markSponsored(agent.owner)
  const payer = agent.keypair
  for (let i = 0; i < 75; i += 1) {
    const dear = [
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 900_000 }),
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: i }),
    ]
    expect(await world.execute(dear, [payer])).toBeNull()
  }
  const instructions = json([update(payer)])
  const body = { instructions, signerPubkeys: [agent.owner], priorityLevel: 'high' }
  const price = async (sponsored: boolean): Promise<number> => {
    const response = await world.t.app.inject({
      method: 'POST',
      url: '/relay/prepare',
      payload: { ...body, sponsored },
    })
    return response.json<Prepared>().priorityFee
  }
  await expect.poll(() => price(false)).toBe(900_000)
  expect(await price(true)).toBe(100_000)
})
