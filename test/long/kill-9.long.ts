import { join } from 'node:path'
import { Connection } from '@solana/web3.js'
import { expect, test, vi } from 'vitest'
import { readKeypairFile } from '../../src/platform/keys.ts'
import { createGatewayProcess } from '../support/gateway-process.ts'
import { startLoad } from './load.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile } from '../support/lifetime.ts'

const ROUNDS = 3

const gateway = perFile(() => createGatewayProcess({ SEED_AGENTS: '3' }))

test('after kill -9 under load nothing confirmed is lost, and the tables equal the ledger', async () => {
  const confirmed = new Set<string>()
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { rpcUrl } = await gateway.start()
    const load = startLoad(rpcUrl, readKeypairFile(join(gateway.dataDir, 'keys', 'fee-payer.json')))
    await vi.waitFor(() => expect(load.confirmed.size).toBeGreaterThan(round * 10), scaled(20_000))
    await gateway.kill()
    await load.ended
    for (const signature of load.confirmed) confirmed.add(signature)
  }
  const { rpcUrl, baseUrl } = await gateway.start()
  const connection = new Connection(rpcUrl, 'confirmed')
  for (const signature of confirmed) {
    const { value } = await connection.getSignatureStatus(signature, { searchTransactionHistory: true })
    expect(value, `${signature} was confirmed and is gone`).toMatchObject({ err: null })
  }

  const audit = await gateway.cli('--json', 'audit')
  expect(JSON.parse(audit.stdout)).toMatchObject({ differences: [] })
  expect(audit.code).toBe(0)
  const agents = async (): Promise<unknown> => (await fetch(`${baseUrl}/agents?limit=200`)).json()
  const before = await agents()
  expect(await gateway.cli('rebuild')).toMatchObject({ code: 0 })
  expect(await gateway.cli('audit')).toMatchObject({ code: 0 })
  expect(await agents()).toEqual(before)
})
