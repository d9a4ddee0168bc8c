import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphQLContext } from '../../../schema/context.ts'
import { createWalletAuth, type WalletAuth } from '../../../src/identity/wallet-auth/wallet-auth.ts'
import { createTestApp, FIXED_NOW, type TestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'

let t: TestApp
let replicas: WalletAuth[]
beforeAll(async () => {
  t = await createTestApp()
  const kysely = t.database.orm.em.fork().getKysely()
  replicas = [1, 2, 3].map(() =>
    createWalletAuth({ kysely, clock: { now: () => FIXED_NOW }, sessions: t.services.sessions }),
  )
})
afterAll(() => t.close())

const wallet = walletOf('service')
const signed = (path: string) => {
  const headers = wallet.headers('GET', path, FIXED_NOW)
  return {
    method: 'GET',
    path,
    pubkey: headers['x-wallet-pubkey'],
    timestamp: headers['x-wallet-timestamp'],
    signature: headers['x-wallet-signature'],
  }
}

test('a signature is accepted once when several replicas receive it at the same time', async () => {
  const request = signed('/webhooks/at-once')
  const uses = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => replicas[i % replicas.length]!.authenticate(request)),
  )
  expect(uses.filter(({ status }) => status === 'fulfilled')).toEqual([
    { status: 'fulfilled', value: { wallet: wallet.pubkey, session: null } },
  ])
  for (const use of uses.filter(({ status }) => status === 'rejected'))
    expect(use).toMatchObject({ reason: { code: 'SIGNATURE_USED', status: 401 } })
})

test('a refused request does not use up its signature', async () => {
  const request = signed('/webhooks/refused')
  const elsewhere = { ...request, path: '/webhooks/other' }
  await expect(replicas[0]!.authenticate(elsewhere)).rejects.toMatchObject({
    code: 'INVALID_WALLET_SIGNATURE',
  })
  await expect(replicas[0]!.authenticate(request)).resolves.toMatchObject({ wallet: wallet.pubkey })
})

test('each new signature removes a batch of old ones', async () => {
  await sql`insert into used_signatures (hash, used_at)
    select 'old ' || n, now() - interval '1 hour' from generate_series(1, 25) as n`.execute(t.kysely)
  const old = async (): Promise<number> => {
    const rows = await t.kysely
      .selectFrom('used_signatures')
      .select('hash')
      .where('hash', 'like', 'old %')
      .execute()
    return rows.length
  }
  const left: number[] = []
  for (const path of ['/a', '/b', '/c']) {
    await replicas[0]!.authenticate(signed(path))
    left.push(await old())
  }
  expect(left).toEqual([15, 5, 0])
})

test('a GraphQL context verifies the signature once, and has no wallet without a signature', async () => {
  const request = signed('/webhooks/context')
  const counted: string[] = []
  const client = { clientIp: '192.0.2.1', count: (kind: string) => void counted.push(kind) }
  const context = createGraphQLContext(t.services, {
    ...client,
    authenticate: () => t.services.walletAuth.authenticate(request),
  })
  expect(await Promise.all([context.authenticate(), context.authenticate()])).toEqual([
    wallet.pubkey,
    wallet.pubkey,
  ])
  expect(counted).toEqual(['authenticated'])
  await expect(createGraphQLContext(t.services, client).authenticate()).rejects.toMatchObject({
    code: 'AUTH_HEADERS_MISSING',
  })
})
