import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createGraphQLContext } from '../../../schema/context.ts'
import { createWalletAuth, type WalletAuth } from '../../../src/identity/wallet-auth.ts'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'

const t = useTestApp()
let replicas: WalletAuth[]
beforeAll(async () => {
  const kysely = t.database.orm.em.fork().getKysely()
  replicas = [1, 2, 3].map(() =>
    createWalletAuth({ kysely, clock: { now: () => FIXED_NOW }, sessions: t.services.sessions }),
  )
})

const wallet = walletOf('service')
const signed = (path: string) => {
  const headers = wallet.headers('GET', path, FIXED_NOW)
  return {
    method: 'GET',
    path,
    pubkey: headers['x-wallet-pubkey'],
    timestamp: headers['x-wallet-timestamp'],
    signature: headers['x-wallet-signature'],
    clientIp: '192.0.2.1',
  }
}

test('of several networks that use a signature at the same time on several replicas, one gets it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const request = signed(`/webhooks/at-once/${round}`)
    const networks = Array.from({ length: 30 }, (_, i) => `192.0.2.${i % 5}`)
    const uses = await Promise.allSettled(
      networks.map((clientIp, i) => replicas[i % replicas.length]!.authenticate({ ...request, clientIp })),
    )
    const winners = networks.filter((_, i) => uses[i]!.status === 'fulfilled')
    expect(winners).toHaveLength(6)
    expect(new Set(winners).size).toBe(1)
    for (const use of uses.filter(({ status }) => status === 'rejected'))
      expect(use).toMatchObject({ reason: { code: 'SIGNATURE_USED', status: 401 } })
  }
})

test('a signature that a process of the last release accepted is used up', async () => {
  const request = signed('/webhooks/last-release')
  const hash = createHash('sha256').update(bs58.decode(request.signature!)).digest('base64url')
  await t.kysely.insertInto('used_signatures').values({ hash, client_network: null }).execute()
  await expect(replicas[0]!.authenticate(request)).rejects.toMatchObject({ code: 'SIGNATURE_USED' })
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

test('a first use is kept for as long as the signature can be valid, also in other processes', async () => {
  const request = signed('/webhooks/kept')
  await replicas[0]!.authenticate(request)
  const hash = createHash('sha256').update(bs58.decode(request.signature!)).digest('base64url')
  await sql`update used_signatures set used_at = now() - interval '14 minutes' where hash = ${hash}`.execute(
    t.kysely,
  )
  await replicas[0]!.authenticate(signed('/webhooks/kept/another'))
  const replay = { ...request, clientIp: '198.51.100.1' }
  await expect(replicas[1]!.authenticate(replay)).rejects.toMatchObject({ code: 'SIGNATURE_USED' })
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
