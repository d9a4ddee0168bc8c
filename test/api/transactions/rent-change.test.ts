import { type Keypair, PublicKey } from '@solana/web3.js'
import { registryInstruction } from '@agent-registry/program'
import { beforeAll, expect, test } from 'vitest'
import { addresses, keyOf, programId } from '../../support/transactions/relay-world.ts'
import { useSponsorWorld } from '../../support/transactions/sponsor-world.ts'

const world = useSponsorWorld()
let code: string
beforeAll(async () => {
  code = await world.code(1_000)
})

const AGENT_BYTES = 128 + 421
const SIGNATURES_FEE = 10_000
const agentOf = (owner: Keypair) => addresses.agent(keyOf(owner))
const rentOf = (owner: Keypair) => world.connection.getBalance(new PublicKey(agentOf(owner)))

/** Prepares a registration, lets `between` happen, and submits it. */
async function register(owner: Keypair, between = () => undefined as void) {
  const { body } = await world.register({ owner, inviteCode: code })
  between()
  return world.submitRegistration(body, owner, code)
}

async function sponsorship(owner: Keypair) {
  await expect
    .poll(async () => {
      world.localnet.stepSlot(40)
      return (await world.sponsorships(owner))[0]?.spent_lamports ?? null
    })
    .not.toBeNull()
  const query = world.t.kysely.selectFrom('sponsorships').selectAll().where('wallet', '=', keyOf(owner))
  return query.executeTakeFirstOrThrow()
}

test('rent that changes between two registrations, or while one is signed, is paid and refunded exactly', async () => {
  const before = await world.funded()
  expect((await register(before)).body.status).toBe('confirmed')

  // It falls after the preparation: the reservation and the cap are those of the new rent.
  const fallen = await world.funded()
  expect((await register(fallen, () => world.localnet.setRent(696))).body.status).toBe('confirmed')
  const { rent_lamports, reserved_lamports, spent_lamports } = await sponsorship(fallen)
  expect([rent_lamports, await rentOf(fallen)]).toEqual([AGENT_BYTES * 696, AGENT_BYTES * 696])
  expect(reserved_lamports).toBe(spent_lamports)
  expect(spent_lamports).toBeLessThan(AGENT_BYTES * 696 + SIGNATURES_FEE + 10_000)

  // It rises after the preparation: what was allowed to cost less is not refused.
  const risen = await world.funded()
  expect((await register(risen, () => world.localnet.setRent(5_080))).body.status).toBe('confirmed')
  expect(await sponsorship(risen)).toMatchObject({ state: 'confirmed', rent_lamports: AGENT_BYTES * 5_080 })

  // An agent that was registered for more gives all of it back to who paid it.
  const paid = await rentOf(before)
  expect(paid).toBe(AGENT_BYTES * 6_960)
  const owner = keyOf(before)
  const of = (name: string) =>
    registryInstruction(programId, name, {
      owner,
      agent: addresses.agent(owner),
      rentPayer: keyOf(world.feePayer),
    })
  const balance = await world.balance()
  await world.transact([of('deactivate_agent')], [before])
  await world.transact([of('close_agent')], [before])
  world.localnet.stepSlot(2)
  expect((await world.balance()) - balance).toBe(paid)
})

test('rent above the most that one transaction may cost is refused with the numbers', async () => {
  const owner = await world.funded()
  const { status, body } = await world.register({ owner, inviteCode: code })
  expect(status).toBe(200)
  world.localnet.setRent(30_000)
  const refused = await world.submitRegistration(body, owner, code)
  expect(refused.status).toBe(403)
  expect(refused.body.error).toMatch(/lamports/)
  expect(await world.sponsorships(owner)).toEqual([])
  world.localnet.setRent(6_960)
})
