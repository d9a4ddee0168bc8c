import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Connection, PublicKey } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../support/cli.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { perFile } from '../../support/lifetime.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '2', WEBHOOK_DEV_MODE: 'true' }))
let keyFile: string
let owner: string
beforeAll(async () => {
  keyFile = join(gateway.dataDir, 'owner.json')
  owner = (await cli('keygen', keyFile)).stdout.split(' ')[0]!
})

const cli = (...args: string[]) => runCommand(gateway.env, ...args)
const json = async <Result>(...args: string[]): Promise<Result> => {
  const { code, stdout, stderr } = await cli('--json', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Result
}

test('demo registers, stakes, delivers and verifies through the documented paths', async () => {
  const { steps } = await json<{ steps: { step: string; detail: object }[] }>('demo')
  expect(steps).toHaveLength(10)
  expect(steps.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ sponsored: true, status: 'confirmed' }),
      expect.objectContaining({ type: 'agent.registered' }),
      { data: expect.objectContaining({ previousTier: 'observer', newTier: 'standard' }) },
      expect.objectContaining({ proofVerified: true }),
      { deliveriesLogged: expect.any(Number), wrongSignatures: 0 },
    ]),
  )
})

describe('localnet', () => {
  test('gives SOL and USDC to a wallet', async () => {
    expect(await json('localnet', 'airdrop', owner, '1.5')).toMatchObject({ owner, lamports: '1500000000' })
    expect(await json('localnet', 'usdc', owner, '0.25')).toMatchObject({ amount: '250000' })
    const connection = new Connection(gateway.runtime.rpcUrl, 'confirmed')
    expect(await connection.getBalance(new PublicKey(owner))).toBe(1_500_000_000)
  })

  test('moves the clock of the ledger forward', async () => {
    expect((await cli('localnet', 'warp', '60')).stdout).toBe("moved the ledger's clock forward by 60 s\n")
  })

  test.each([
    [['airdrop', 'nobody', '1'], 'not a base-58 public key of 32 bytes: nobody'],
    [['airdrop', '11111111111111111111111111111111', '-1'], 'Use no sign.'],
    [['usdc', '11111111111111111111111111111111', '0.0000001'], 'USDC has at most 6 decimals.'],
    [['usdc', '11111111111111111111111111111111', '12,5'], 'Use a point for decimals'],
    [['warp', '0'], 'seconds must be a whole number above 0, got 0'],
  ])('%j is refused', async (args, text) => {
    const { code, stderr } = await cli('localnet', ...args)
    expect(code).toBe(1)
    expect(stderr).toContain(text)
  })

  test('refuses without a running localnet', async () => {
    const without = await runCommand({ ...gateway.env, DATA_DIR: '/nowhere' }, 'localnet', 'warp', '1')
    expect(without.stderr).toContain('no localnet is running on /nowhere')
    const cluster = {
      ...gateway.env,
      SOLANA_RPC_URL: gateway.runtime.rpcUrl,
      WEBHOOK_SECRETS_KEY: '07'.repeat(32),
    }
    expect((await runCommand(cluster, 'localnet', 'warp', '1')).stderr).toContain('SOLANA_RPC_URL is set')
  })
})

test('a key file that is missing, or not a keypair, is refused without its content', async () => {
  const issue = ['credential', 'issue', '--type', 'Identity', '--subject', owner, '--key']
  const missing = await cli(...issue, '/nowhere.json')
  expect([missing.code, missing.stderr]).toEqual([1, '/nowhere.json cannot be read: ENOENT'])
  const wrong = join(gateway.dataDir, 'wrong.json')
  writeFileSync(wrong, '["secret"]', { mode: 0o600 })
  const { stderr } = await cli(...issue, wrong)
  expect(stderr).toContain('is not a Solana CLI keypair')
  expect(stderr).not.toContain('secret"')
})

test('registry status uses the running localnet', async () => {
  expect(await json('registry', 'status')).toMatchObject({
    network: 'localnet',
    program: { executable: true, isThisVersion: true },
    config: { paused: false },
    reporters: { total: 1, active: 1 },
  })
})

describe('credential issue', () => {
  const issue = (...args: string[]) => cli('credential', 'issue', '--key', keyFile, ...args)

  test.each(['Ed25519Signature2020', 'eddsa-rdfc-2022', 'eddsa-jcs-2022'])('signs with %s', async (suite) => {
    const out = join(gateway.dataDir, `${suite}.json`)
    const args = ['--type', 'SecurityAudit', '--subject', owner, '--suite', suite, '--out', out]
    expect((await issue(...args)).stdout).toContain(`SecurityAuditCredential of did:sol:${owner}`)
    const { issuer, credentialSubject, proof } = JSON.parse(readFileSync(out, 'utf8')) as {
      issuer: string
      credentialSubject: { id: string }
      proof: { type: string; cryptosuite?: string }
    }
    expect({ issuer, subject: credentialSubject.id }).toEqual({
      issuer: `did:sol:${owner}`,
      subject: `did:sol:${owner}`,
    })
    expect([proof.type, proof.cryptosuite]).toContain(suite)
  })

  test('takes the account of an agent as subject, and claims', async () => {
    const { agents } = (await (await fetch(`${gateway.runtime.baseUrl}/agents?limit=1`)).json()) as {
      agents: { pda: string; owner: string }[]
    }
    const { pda, owner: agentOwner } = agents[0]!
    const until = '2099-01-31T00:00:00Z'
    const args = [
      '--type',
      'Identity',
      '--subject',
      pda,
      '--valid-until',
      until,
      '--claim',
      'auditor=Kestrel Ltd',
    ]
    const credential = JSON.parse((await issue(...args)).stdout) as Record<string, unknown>
    expect(credential).toMatchObject({
      validUntil: until,
      credentialSubject: { id: `did:sol:${agentOwner}`, auditor: 'Kestrel Ltd' },
    })
  })

  test.each([
    [['--type', 'Gold', '--subject', 'x'], '--type must be one of'],
    [
      ['--type', 'Identity', '--subject', 'nobody'],
      "--subject must be a did:sol, an agent's account or a public key",
    ],
    [
      ['--type', 'Identity', '--subject', 'x', '--valid-until', 'tomorrow'],
      '--valid-until must be a date and time',
    ],
    [['--type', 'Identity', '--subject', 'x', '--claim', 'auditor'], '--claim'],
  ])('%j is refused', async (args, text) => {
    const { code, stderr } = await issue(...args)
    expect(code).toBe(1)
    expect(stderr).toContain(text)
  })
})
