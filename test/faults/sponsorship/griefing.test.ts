import { Writable } from 'node:stream'
import { ComputeBudgetProgram, Keypair, SystemProgram } from '@solana/web3.js'
import bs58 from 'bs58'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { associatedTokenAccount } from '@agent-registry/solana'
import { registryInstruction } from '@agent-registry/program'
import { addresses, programId, registrationArgs } from '../../support/indexer/registry-world.ts'
import {
  CLIENTS,
  json,
  type Prepared,
  restClient,
  type SponsorClient,
} from '../../support/sponsorship/sponsor-clients.ts'
import { ownInstruction, update } from '../../support/sponsorship/parties.ts'
import {
  createHostileWorld,
  keyOf,
  registerBy,
  signedBy,
  type HostileWorld,
  submitRegistrationBy,
} from '../../support/sponsorship/hostile-world.ts'

let world: HostileWorld
let log = ''
beforeAll(async () => {
  world = await createHostileWorld({
    slotMs: 100,
    log: new Writable({
      write: (chunk: Buffer, _, done) => {
        log += chunk.toString()
        done()
      },
    }),
  })
})
afterAll(() => world.close())
afterEach(() => world.intercept.clear())

let addressesGiven = 0
const newAddress = (): string => `198.18.${((addressesGiven += 1) >> 8) & 255}.${addressesGiven & 255}`

/** A wallet without an agent, and its prepared registration. */
async function prepared(api: SponsorClient): Promise<{ wallet: Keypair; code: string; body: Prepared }> {
  const [wallet, code] = [Keypair.generate(), await world.code()]
  const { status, body, error } = await registerBy(api, wallet, keyOf(world.feePayer), code)
  expect([status, error]).toEqual([200, ''])
  return { wallet, code, body }
}

/**
 * Registers the wallet without the service. The registry's admin pays. A sponsored registration of
 * the wallet then fails.
 */
const registerDirectly = (wallet: Keypair): Promise<void> => {
  const owner = keyOf(wallet)
  const payer = keyOf(world.admin)
  const direct = registryInstruction(
    programId,
    'register_agent',
    { payer, owner, agent: addresses.agent(owner) },
    registrationArgs('First'),
  )
  return world.transact([direct], [wallet, world.admin])
}

const stateOf = async (id: string) =>
  (
    await world.t.kysely
      .selectFrom('sponsorships')
      .select(['state', 'spent_lamports'])
      .where('id', '=', id)
      .executeTakeFirst()
  )?.state

describe.each(CLIENTS.map((api) => [api({ app: undefined as never }).name, api] as const))(
  'through %s',
  (_, open) => {
    const client = () => open(world.t, { address: newAddress() })

    test('a registration that fails between prepare and submit is not signed, costs nothing, and frees the code', async () => {
      const api = client()
      const { wallet, code, body } = await prepared(api)
      await registerDirectly(wallet)
      const before = await world.balance()
      const sends = world.calls.filter((each) => each === 'sendTransaction').length
      const { status, body: landing } = await submitRegistrationBy(api, body, wallet, code)
      expect([status, landing.status, landing.signature, landing.error?.code]).toEqual([
        200,
        'failed',
        null,
        'simulation_failed',
      ])
      expect(world.calls.filter((each) => each === 'sendTransaction')).toHaveLength(sends)
      expect(await world.balance()).toBe(before)
      expect(await stateOf(body.id)).toBeUndefined()
      expect((await registerBy(api, Keypair.generate(), keyOf(world.feePayer), code)).status).toBe(200)
      // A second submit returns the same record.
      const again = await submitRegistrationBy(api, body, wallet, code)
      expect([again.status, again.body]).toEqual([200, landing])
    })

    test('a registration that fails after the signature costs its network fee, and stays counted', async () => {
      const api = client()
      const { wallet, code, body } = await prepared(api)
      // Skips the node's preflight, which would refuse the transaction. A node that looks at an
      // older block would send it.
      world.intercept.set('sendTransaction', async ([tx, config]) => {
        world.intercept.delete('sendTransaction')
        await registerDirectly(wallet)
        return [tx, { ...(config as object), skipPreflight: true }]
      })
      const before = await world.balance()
      const { body: landing } = await submitRegistrationBy(api, body, wallet, code)
      expect([landing.status, landing.error?.code]).toEqual(['failed', 'execution_failed'])
      const lost = before - (await world.balance())
      expect(lost).toBeGreaterThanOrEqual(10_000)
      expect(lost).toBeLessThanOrEqual(16_000)
      world.localnet.stepSlot(33)
      await expect.poll(() => stateOf(body.id)).toBe('failed')
      // Failures count toward the client's five registrations a day.
      for (let i = 0; i < 4; i += 1) await world.sponsoredWallet(api)
      const sixth = await registerBy(api, Keypair.generate(), keyOf(world.feePayer), await world.code())
      expect(sixth.status).toBe(429)
    })

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

    test('the wallet pays for the vault of a first deposit, or the deposit is refused', async () => {
      const api = client()
      const rich = await world.wallet('Depositor')
      await world.markSponsored(rich.owner)
      const deposit = rich.instruction('deposit', { payer: rich.owner }, { amount: 1_000_000n })
      const before = await world.balance()
      const own = await world.connection.getBalance(rich.keypair.publicKey)
      const asked = await api.prepareSponsored({
        instructions: json([deposit]),
        signerPubkeys: [rich.owner],
      })
      const { id, serializedTx } = asked.body
      const landed = await api.submit({ id, signedTx: signedBy(serializedTx, rich.keypair) })
      expect(landed.body.status).toBe('confirmed')
      expect(before - (await world.balance())).toBeLessThanOrEqual(25_000)
      const opened = await world.connection.getMultipleAccountsInfo(
        deposit.keys.slice(3, 5).map((each) => each.pubkey),
      )
      const rents = opened.reduce((sum, each) => sum + (each?.lamports ?? 0), 0)
      expect(rents).toBeGreaterThan(0)
      expect(own - (await world.connection.getBalance(rich.keypair.publicKey))).toBe(rents)

      const poor = await world.sponsoredWallet(api)
      const minted = await world.rpc.call<string>('localnet_mintUsdc', [keyOf(poor), 5_000_000])
      expect(minted).toEqual(expect.any(String))
      world.localnet.stepSlot(2)
      const refused = await api.prepareSponsored({
        instructions: json([
          ownInstruction(
            poor,
            'deposit',
            { ownerToken: associatedTokenAccount(keyOf(poor), world.usdcMint), usdcMint: world.usdcMint },
            { amount: 1_000_000n },
          ),
        ]),
        signerPubkeys: [keyOf(poor)],
      })
      expect([refused.status, refused.error]).toEqual([422, 'Transaction simulation failed'])
    })

    test("the ids of expired and of other clients' transactions are refused", async () => {
      const api = client()
      const mine = await prepared(api)
      const theirs = await prepared(api)
      const body = {
        id: theirs.body.id,
        signedTx: signedBy(mine.body.serializedTx, mine.wallet),
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

    test('codes cannot be guessed: thirty similar ones get the same error', async () => {
      const code = await world.code()
      const api = client()
      const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
      const guesses = Array.from({ length: 30 }, (_guess, i) => {
        const at = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13][i % 12] ?? 0
        const other = alphabet[(alphabet.indexOf(code[at] ?? '') + 1 + (i % 31)) % 32] ?? ''
        return code.slice(0, at) + other + code.slice(at + 1)
      })
      const answers = await Promise.all(
        guesses.map((each) => registerBy(api, Keypair.generate(), keyOf(world.feePayer), each)),
      )
      expect(new Set(answers.map(({ status, error }) => `${status} ${error}`))).toEqual(
        new Set(['403 The invite code is unknown, expired, revoked or used up']),
      )
      expect((await registerBy(api, Keypair.generate(), keyOf(world.feePayer), code)).status).toBe(200)
    })

    test("nothing is signed if the node is silent or does not return the fee payer's balance", async () => {
      const api = client()
      const { wallet, code, body } = await prepared(api)
      const before = await world.balance()
      world.localnet.fault.http({ methods: ['simulateTransaction'], status: 503 })
      const answer = await submitRegistrationBy(api, body, wallet, code)
      world.localnet.fault.clear()
      expect([answer.status, answer.error]).toEqual([503, 'The ledger RPC node is not available'])
      expect(await world.balance()).toBe(before)
      expect(await stateOf(body.id)).toBeUndefined()
      expect((await submitRegistrationBy(api, body, wallet, code)).body.status).toBe('confirmed')
    })
  },
)

test('the fee payer’s private key is in no response and in no log line', async () => {
  const api = restClient(world.t, { address: newAddress() })
  const { wallet, code, body } = await prepared(api)
  const { body: landing } = await submitRegistrationBy(api, body, wallet, code)
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
