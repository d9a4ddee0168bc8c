import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRegistry, generateSigner, type RegistryError } from '@agent-registry/client'
import { createLocalnetRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { perFile } from '../../support/lifetime.ts'

const WEEK_SECONDS = 7 * 86_400
const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '0' }))
const registry = perFile(() => createRegistry(gateway.runtime.baseUrl))

const call = <Result>(method: string, ...params: unknown[]) =>
  createLocalnetRpc(gateway.runtime.rpcUrl).call<Result>(method, params)
const balanceOf = async (address: string) =>
  (await call<{ value: number }>('getBalance', address, { commitment: 'confirmed' })).value

test('a sponsored agent is closed with its stake, and those who paid the rents get them back', async () => {
  const wallet = await generateSigner()
  const card = { name: 'Guest', category: 'research', cardUrl: 'https://a.example', card: '{}' } as const
  const inviteCode = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
  const { pda } = await registry.agents.register({ ...card, inviteCode }, wallet)
  await call('requestAirdrop', wallet.address, 1_000_000_000)
  await call('localnet_mintUsdc', wallet.address, 200_000_000)
  await expect.poll(() => balanceOf(wallet.address)).toBe(1_000_000_000)

  await registry.stakes.deposit(150_000_000n, wallet)
  await registry.stakes.requestWithdrawal(150_000_000n, wallet)
  const early = await registry.stakes.completeWithdrawal(wallet).catch((error: unknown) => error)
  expect(early).toMatchObject({ status: 422, programError: { name: 'CooldownNotOver' } })
  await call('localnet_warp', WEEK_SECONDS + 1)
  await registry.stakes.completeWithdrawal(wallet)
  await registry.agents.deactivate(wallet)
  await expect.poll(() => registry.agents.get(pda)).toMatchObject({ status: 'deactivated' })
  await expect(registry.agents.close(wallet)).rejects.toMatchObject({
    programError: { name: 'StakeExists' },
  })

  const { feePayer } = await registry.call('getDetailedHealth', {})
  const [ownBefore, sponsorBefore] = [await balanceOf(wallet.address), await balanceOf(feePayer.pubkey!)]
  await registry.stakes.close(wallet)
  expect(await balanceOf(wallet.address)).toBeGreaterThan(ownBefore)
  expect(await balanceOf(feePayer.pubkey!)).toBe(sponsorBefore)
  await registry.agents.close(wallet)
  expect(await balanceOf(feePayer.pubkey!)).toBeGreaterThan(sponsorBefore)
  await expect
    .poll(() => registry.agents.get(pda).catch((error: RegistryError) => error.code))
    .toBe('AGENT_NOT_FOUND')
  await expect(registry.agents.close(wallet)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' })
})
