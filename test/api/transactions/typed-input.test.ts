import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createSponsorWorld,
  newClient,
  type SponsoredBody,
  type SponsorWorld,
} from '../../support/transactions/sponsor-world.ts'
import { keyOf } from '../../support/transactions/relay-world.ts'

const AGENT = {
  name: 'Typed',
  serviceCategory: 'research',
  agentCardUrl: 'https://agents.example/card.json',
  agentCardHash: 'ab'.repeat(32),
}

let world: SponsorWorld
beforeAll(async () => {
  world = await createSponsorWorld()
})
afterAll(() => world.close())

test('an invite code makes the service pay for a registration from typed input, and later for its agent', async () => {
  const owner = await world.funded()
  const client = newClient()
  const inviteCode = await world.code()
  const input = { ...AGENT, ownerPubkey: keyOf(owner), inviteCode }
  const prepared = await world.send<SponsoredBody>('/relay/prepare/register-agent', input, client)
  expect(prepared).toMatchObject({ status: 200, body: { feePayer: keyOf(world.feePayer), sponsored: true } })
  const landed = await world.submitRegistration(prepared.body, owner, inviteCode, client)
  expect(landed).toMatchObject({ status: 200, body: { status: 'confirmed', sponsored: true } })

  const suspend = { ownerPubkey: keyOf(owner), sponsored: true }
  const later = await world.send<SponsoredBody>('/relay/prepare/suspend-agent', suspend, client)
  expect(later).toMatchObject({ status: 200, body: { feePayer: keyOf(world.feePayer), sponsored: true } })
  const closing = await world.send<SponsoredBody>('/relay/prepare/deactivate-agent', suspend, client)
  expect(closing).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('cannot be sponsored') },
  })
})

test('a wrong code and a wallet without a sponsored agent are refused', async () => {
  const owner = await world.funded()
  const input = { ...AGENT, ownerPubkey: keyOf(owner), inviteCode: 'WRONG' }
  expect(await world.send('/relay/prepare/register-agent', input)).toMatchObject({ status: 403 })
  const suspend = { ownerPubkey: keyOf(owner), sponsored: true }
  expect(await world.send('/relay/prepare/suspend-agent', suspend)).toMatchObject({ status: 403 })
})
