import { Keypair } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM_PROGRAM } from '@agent-registry/solana'
import {
  CLIENTS,
  json,
  type JsonInstruction,
  type Prepared,
  restClient,
  type SponsorClient,
  type ClientResponse,
} from '../../support/transactions/sponsor-clients.ts'
import { HOSTILE_REQUESTS } from '../../support/transactions/hostile-requests.ts'
import {
  type Parties,
  registrationOf,
  sponsoredRegistration,
  update,
} from '../../support/transactions/parties.ts'
import { keyOf, useHostileWorld } from '../../support/transactions/hostile-world.ts'

const world = useHostileWorld()
/**
 * A wallet with an agent and a wallet without one. Except for the attack, both may be sponsored.
 */
let settled: Parties
let fresh: Parties
let code: string
let before: number
beforeAll(async () => {
  const feePayer = keyOf(world.feePayer)
  const stranger = Keypair.generate()
  settled = { feePayer, stranger, wallet: await world.sponsoredWallet(restClient(world.t)) }
  fresh = { feePayer, stranger, wallet: Keypair.generate() }
  code = await world.code(1_000)
  before = await world.balance()
  world.calls.length = 0
})

const register = (api: SponsorClient, instructions: JsonInstruction[], wallet = fresh.wallet) =>
  api.register({ instructions, signerPubkey: keyOf(wallet), inviteCode: code })
const transactionWays = [
  (api: SponsorClient, instructions: JsonInstruction[], signerPubkeys = [keyOf(settled.wallet)]) =>
    api.prepareSponsored({ instructions, signerPubkeys }),
  (api: SponsorClient, instructions: JsonInstruction[], signerPubkeys = [keyOf(settled.wallet)]) =>
    api.prepareFlagged({ instructions, signerPubkeys }),
]

const refusal = ({ status, error }: ClientResponse<Prepared>): { refused: boolean; text: string } => ({
  refused: status === 400 || status === 403,
  text: error.replaceAll(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, 'KEY'),
})

describe.each(CLIENTS.map((api) => [api({ app: undefined as never }).name, api] as const))(
  'through %s the service does not pay',
  (_, open) => {
    test.each(HOSTILE_REQUESTS.map((each) => [each.name, each] as const))('%s', async (__, hostile) => {
      const api = open(world.t)
      const registration = await register(api, json(hostile.instructions(fresh)))
      expect(refusal(registration)).toEqual({ refused: true, text: hostile.register })
      const instructions = json(hostile.instructions(settled))
      for (const way of transactionWays)
        expect(refusal(await way(api, instructions))).toEqual({ refused: true, text: hostile.transaction })
    })

    test.each([
      ['nobody', () => [], 'signerPubkeys array is required'],
      [
        'the fee payer',
        () => [keyOf(world.feePayer)],
        'The fee payer KEY must not appear in signerPubkeys[0]',
      ],
      [
        'the fee payer beside the wallet',
        () => [keyOf(settled.wallet), keyOf(world.feePayer)],
        'The fee payer KEY must not appear in signerPubkeys[1]',
      ],
      [
        'a second wallet',
        () => [keyOf(settled.wallet), keyOf(settled.stranger)],
        'signerPubkeys must contain one wallet: a sponsored transaction has no other signer',
      ],
      [
        'a stranger in the place of the wallet',
        () => [keyOf(settled.stranger)],
        'instructions[0].keys[0] cannot be sponsored: owner must be KEY',
      ],
    ])('a transaction signed by %s', async (__, signers, text) => {
      for (const way of transactionWays)
        expect(refusal(await way(open(world.t), json([update(settled.wallet)]), signers()))).toEqual({
          refused: true,
          text,
        })
    })

    test('a registration signed by the fee payer', async () => {
      const answer = await open(world.t).register({
        instructions: json([sponsoredRegistration({ ...fresh, wallet: world.feePayer })]),
        signerPubkey: keyOf(world.feePayer),
        inviteCode: code,
      })
      expect(refusal(answer)).toEqual({
        refused: true,
        text: 'The fee payer KEY must not appear in signerPubkey',
      })
    })

    test('a registration of a key of small order, for which everybody can sign', async () => {
      const answer = await open(world.t).register({
        instructions: json([registrationOf(SYSTEM_PROGRAM, fresh.feePayer)]),
        signerPubkey: SYSTEM_PROGRAM,
        inviteCode: code,
      })
      expect(refusal(answer)).toEqual({
        refused: true,
        text: 'signerPubkeys contains KEY, which cannot sign',
      })
    })
  },
)

test('nothing was stored, simulated, signed or paid for any attack', async () => {
  expect(await world.states()).toEqual({ confirmed: 1 })
  expect(world.calls).not.toContain('simulateTransaction')
  expect(world.calls).not.toContain('sendTransaction')
  expect(await world.balance()).toBe(before)
})

test('the same wallets are sponsored for a valid transaction', async () => {
  const api = restClient(world.t)
  expect((await register(api, json([sponsoredRegistration(fresh)]))).status).toBe(200)
  for (const way of transactionWays) expect((await way(api, json([update(settled.wallet)]))).status).toBe(200)
})
