import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createRegistry,
  type KeySigner,
  signerFromSecretKey,
  type UnfinishedTransaction,
} from '@agent-registry/client'
import { usdc } from '@agent-registry/client/money'
import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../support/cli.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { perFile } from '../../support/lifetime.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '0' }))
let keyFile: string
let wallet: KeySigner
beforeAll(async () => {
  keyFile = join(gateway.dataDir, 'user.json')
  await cli('keygen', keyFile)
  wallet = await signerFromSecretKey(JSON.parse(readFileSync(keyFile, 'utf8')) as number[])
  await cli('localnet', 'airdrop', wallet.address, '1')
  await cli('localnet', 'usdc', wallet.address, '1000')
  const card = join(gateway.dataDir, 'card.json')
  writeFileSync(card, '{"name":"User"}')
  const text = 'register --name User --category research --card-url https://user.example.org/card.json'
  await cli(...text.split(' '), '--card', card, '--key', keyFile)
})

const cli = (...args: string[]) => runCommand(gateway.env, ...args)
const folder = (): string => join(gateway.dataDir, 'unfinished')
const registry = () => createRegistry(gateway.runtime.baseUrl)
const staked = async () => {
  const { stakes } = await registry().stakes.list({ owner: wallet.address }).page()
  return stakes.map(({ deposited_amount, pending_withdrawal }) => [deposited_amount, pending_withdrawal])
}

/** A deposit whose command was killed between the signature and the submit. */
async function signedDeposit(): Promise<UnfinishedTransaction> {
  const { promise, resolve } = Promise.withResolvers<UnfinishedTransaction>()
  const onSigned = (transaction: UnfinishedTransaction): void => {
    resolve(transaction)
    throw new Error('killed')
  }
  await expect(registry().stakes.deposit(usdc('5'), wallet, { onSigned })).rejects.toThrow('killed')
  const unfinished = await promise
  const stored = { ...unfinished, wallet: wallet.address, url: gateway.runtime.baseUrl }
  writeFileSync(join(folder(), `${unfinished.id}.json`), JSON.stringify(stored), { mode: 0o600 })
  return unfinished
}

test('deposit and withdraw change the stake, and leave no unfinished transaction', async () => {
  const { code, stdout } = await cli('--json', 'deposit', '12.5', '--key', keyFile)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ owner: wallet.address, amount: '12500000', status: 'confirmed' })
  expect((await cli('withdraw', '2.5', '--key', keyFile)).stdout).toMatch(/^confirmed: signature \w+\n$/)
  await expect.poll(staked).toEqual([[12_500_000n, 2_500_000n]])
  expect(readdirSync(folder())).toEqual([])
  expect(statSync(folder()).mode & 0o777).toBe(0o700)
  expect((await cli('deposit', '12,5', '--key', keyFile)).stderr).toContain('Use a point for decimals')
  expect((await cli('complete-withdrawal', '--key', keyFile)).stderr).toContain('CooldownNotOver')
})

test('after a killed command the wallet signs nothing else until its transaction is resumed', async () => {
  const [[before] = []] = await staked()
  const { id } = await signedDeposit()
  const refused = await cli('deposit', '5', '--key', keyFile)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(
    `the transaction ${id} of this wallet is not finished, so nothing was sent`,
  )
  expect(refused.stderr).toContain(`transaction resume ${id}`)
  expect((await cli('transaction', 'list')).stdout).toContain(`${id}  of ${wallet.address}`)

  const resumed = await cli('--json', 'transaction', 'resume', id)
  expect(resumed.code).toBe(0)
  expect(JSON.parse(resumed.stdout)).toMatchObject({ id, status: 'confirmed' })
  await expect.poll(async () => (await staked())[0]?.[0]).toBe(before! + 5_000_000n)
  expect((await cli('transaction', 'list')).stdout).toBe('0 unfinished\n')
  expect(await cli('deposit', '1', '--key', keyFile)).toMatchObject({ code: 0 })
  // It is known to the gateway, so its id is enough.
  expect((await cli('transaction', 'resume', id)).stdout).toMatch(/^confirmed/)
})

test('an unknown outcome has exit code 3, and the transaction stays', async () => {
  const signed = await signedDeposit()
  const file = join(folder(), `${signed.id}.json`)
  // A gateway that does not know it, such as one whose database was lost.
  const id = '00000000-0000-4000-8000-000000000000'
  writeFileSync(file, readFileSync(file, 'utf8').replace(signed.id, id))
  renameSync(file, join(folder(), `${id}.json`))
  const { code, stderr } = await cli('--json', 'transaction', 'resume', id)
  expect(code).toBe(3)
  expect(JSON.parse(stderr)).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    id,
    lastValidBlockHeight: expect.any(Number) as number,
    error: expect.stringContaining('do not send it again') as string,
  })
  expect(readdirSync(folder())).toEqual([`${id}.json`])
  writeFileSync(join(folder(), `${id}.json`), '{')
  expect((await cli('transaction', 'list')).stderr).toContain(`${id}.json is not an unfinished transaction`)
})
