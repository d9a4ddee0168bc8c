import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'
import { steppingClock } from '../../support/wallet-client.ts'

const clock = steppingClock(FIXED_NOW)
const t = useTestApp({ clock, webhooksPerNetwork: 3 })

const BODY = { url: 'https://hooks.example.co.uk/a', eventTypes: ['agent.closed'] }

const create = (wallet: string, remoteAddress: string) =>
  t.app.inject({
    method: 'POST',
    url: '/webhooks',
    headers: walletOf(wallet).headers('POST', '/webhooks', clock.step()),
    remoteAddress,
    payload: BODY,
  })

const createByGraphQL = async (wallet: string, remoteAddress: string) => {
  const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id } }'
  const response = await t.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: walletOf(wallet).headers('POST', '/graphql', clock.step()),
    remoteAddress,
    payload: { query, variables: { input: { ...BODY, eventTypes: ['AGENT_CLOSED'] } } },
  })
  return response.json<{ errors?: { message: string; extensions: { code: string } }[] }>()
}

test('a client network creates at most its daily number of webhooks, with any wallets and addresses', async () => {
  for (const [wallet, address] of [
    ['one', '2001:db8:1:2::1'],
    ['two', '2001:db8:1:2::2'],
    ['three', '2001:db8:1:2:ffff::'],
  ] as const)
    expect((await create(wallet, address)).statusCode).toBe(201)
  const refused = await create('four', '2001:db8:1:2::4')
  expect(refused.statusCode).toBe(429)
  expect(refused.json<{ error: string }>().error).toMatch(
    /^At most 3 new webhooks per IP address and day\. Try again in 86(400|39\d) s\.$/,
  )
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_300)
  expect((await createByGraphQL('four', '2001:db8:1:2::4')).errors?.[0]).toMatchObject({
    extensions: { code: 'WEBHOOK_CLIENT_LIMIT' },
  })
  expect((await create('four', '2001:db8:1:3::4')).statusCode).toBe(201)
})

test('deleted webhooks count, and the limit ends after a day', async () => {
  const address = '198.51.100.7'
  for (let n = 0; n < 3; n += 1) {
    const { id } = (await create('deletes', address)).json<{ id: string }>()
    const path = `/webhooks/${id}`
    const headers = walletOf('deletes').headers('DELETE', path, clock.step())
    expect((await t.app.inject({ method: 'DELETE', url: path, headers })).statusCode).toBe(200)
  }
  expect((await create('deletes', address)).statusCode).toBe(429)
  await sql`update webhook_subscriptions set created_at = created_at - interval '23 hours 59 minutes'
    where network = ${address}`.execute(t.kysely)
  expect(Number((await create('deletes', address)).headers['retry-after'])).toBeLessThanOrEqual(60)
  await sql`update webhook_subscriptions set created_at = created_at - interval '1 minute'
    where network = ${address}`.execute(t.kysely)
  expect((await create('deletes', address)).statusCode).toBe(201)
})

test('concurrent requests do not create more than the daily number', async () => {
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) => create(`concurrent ${n}`, '203.0.113.9')),
  )
  const created = responses.filter(({ statusCode }) => statusCode === 201)
  expect(created).toHaveLength(3)
})

test('a webhook has the network of its creator and the site of its URL', async () => {
  const { id } = (await create('stored', '203.0.113.50')).json<{ id: string }>()
  const stored = () =>
    t.kysely
      .selectFrom('webhook_subscriptions')
      .select(['network', 'site', 'response_ms'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  expect(await stored()).toEqual({ network: '203.0.113.50', site: 'example.co.uk', response_ms: null })
  await t.kysely.updateTable('webhook_subscriptions').set({ response_ms: 5 }).where('id', '=', id).execute()
  const patch = (payload: object) =>
    t.app.inject({
      method: 'PATCH',
      url: `/webhooks/${id}`,
      headers: walletOf('stored').headers('PATCH', `/webhooks/${id}`, clock.step()),
      remoteAddress: '203.0.113.51',
      payload,
    })
  await patch({ active: true })
  expect(await stored()).toMatchObject({ response_ms: 5 })
  await patch({ url: 'https://a.github.io/' })
  expect(await stored()).toEqual({ network: '203.0.113.50', site: 'a.github.io', response_ms: null })
})
