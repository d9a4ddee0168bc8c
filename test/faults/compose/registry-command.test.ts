import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Connection, Keypair } from '@solana/web3.js'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLogger, startLocalnet } from '@agent-registry/localnet'
import { PROGRAM_FILE } from '@agent-registry/program'
import { deployProgram } from '@agent-registry/localnet/testing'
import { runCommand } from '../../support/cli.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { perFile } from '../../support/lifetime.ts'

const folder = temporaryFolder('registry-command-')
const guide = readGuide('devnet')
const [program, admin, stranger, usdcMint] = Array.from({ length: 4 }, () => Keypair.generate())
const PROGRAM_ID = program!.publicKey.toBase58()
const ADMIN = admin!.publicKey.toBase58()
const RENT_AND_FEES = 10_000_000_000

const net = perFile(() =>
  startLocalnet({
    dataDir: null,
    slotMs: 50,
    logger: silentLogger,
    genesis: { faucet: Keypair.generate(), usdcMint: usdcMint!, usdcMintAuthority: Keypair.generate() },
  }),
)
const connection = perFile(() => new Connection(net.rpcUrl, 'confirmed'))
let env: Record<string, string>
beforeAll(async () => {
  await fund(admin!)
  env = {
    DATA_DIR: folder,
    SOLANA_RPC_URL: net.rpcUrl,
    REGISTRY_PROGRAM_ID: PROGRAM_ID,
    ADMIN: keyFile('admin', admin!),
    USDC_MINT: usdcMint!.publicKey.toBase58(),
  }
})

async function fund(key: Keypair): Promise<void> {
  await connection.confirmTransaction(await connection.requestAirdrop(key.publicKey, RENT_AND_FEES))
}

function keyFile(name: string, key: Keypair): string {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify([...key.secretKey]), { mode: 0o600 })
  return path
}

const registry = (...args: string[]) => runCommand(env, 'registry', ...args)
const json = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await runCommand(env, '--json', 'registry', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, unknown>
}

/** The `registry` commands of the guide in their order, which contains each step once. */
const commands = Array.from(guide.matchAll(/^npm run -s cli -- registry (.*)$/gm), ([, line = '']) => line)

/** Runs the next command of the guide. `line` is its text without `registry`. */
async function runNext(line: string): Promise<string> {
  expect(commands.shift()).toBe(line)
  const args = Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) =>
    (quoted ?? word ?? '').replaceAll(/\$(\w+)/g, (_, name: string) => env[name] ?? ''),
  )
  const { code, stdout, stderr } = await registry(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('the guide from the deployment to the first agent', () => {
  test('a program that does not exist is named, and cannot be initialized', async () => {
    expect((await registry('status')).stdout).toContain(`program            ${PROGRAM_ID} does not exist`)
    const init = await registry('init', '--usdc-mint', env['USDC_MINT']!, '--keypair', env['ADMIN']!)
    expect(init).toMatchObject({
      code: 1,
      stderr: `The program ${PROGRAM_ID} does not exist on localnet`,
    })
  })

  test('status shows the deployed program, its upgrade authority, and that the config is missing', async () => {
    await deployProgram(connection, admin!, { program: program!, elf: readFileSync(PROGRAM_FILE) })
    await expect
      .poll(() => json('status'))
      .toMatchObject({
        network: 'localnet',
        program: { executable: true, upgradeAuthority: ADMIN, isThisVersion: true },
        config: null,
        reporters: null,
      })
    expect(await runNext('status')).toBe(
      [
        `ledger             localnet (${new URL(net.rpcUrl).host})`,
        `program            ${PROGRAM_ID} is the registry.so of this version`,
        `upgrade authority  ${ADMIN}`,
        'config             not initialized\n',
      ].join('\n'),
    )
  })

  test('only the upgrade authority can initialize the registry', async () => {
    const other = keyFile('stranger', stranger!)
    const init = await registry('init', '--usdc-mint', env['USDC_MINT']!, '--keypair', other)
    expect(init.stderr).toBe(
      `Only the upgrade authority of the program can initialize it: ${ADMIN}; --keypair is ${stranger!.publicKey.toBase58()}`,
    )
    expect((await registry('config')).stderr).toContain('The registry is not initialized')
  })

  test('--dry-run prints and simulates the transaction, and sends nothing', async () => {
    const printed = await runNext('init --usdc-mint "$USDC_MINT" --keypair "$ADMIN" --dry-run')
    expect(printed).toContain('initialize on localnet')
    expect(printed).toContain(`account      ${ADMIN} signer writable`)
    expect(printed).toMatch(/simulation {3}succeeded with \d+ compute units/)
    expect(await json('status')).toMatchObject({ config: null })
    const wrongMint = await registry('init', '--usdc-mint', ADMIN, '--keypair', env['ADMIN']!, '--dry-run')
    expect(wrongMint.code).toBe(1)
    expect(wrongMint.stdout).toContain('simulation   failed')
    expect(wrongMint.stderr).toMatch(
      /^The transaction failed, and nothing was changed\. Instruction 0: \w+: /,
    )
  })

  test('init creates the config once', async () => {
    const printed = await runNext('init --usdc-mint "$USDC_MINT" --keypair "$ADMIN"')
    expect(printed).toMatch(/^initialize confirmed: \w{80,90}\n$/)
    const again = await registry('init', '--usdc-mint', env['USDC_MINT']!, '--keypair', env['ADMIN']!)
    expect(again.stderr).toBe(`The registry is already initialized. Its admin is ${ADMIN}`)
  })

  test('config shows the values, and changes only the given ones', async () => {
    const before = await runNext('config')
    expect(before).toContain(
      'tiers (USDC)       observer from 0, basic from 100, standard from 500, premium from 1000\ncooldown           7 days\npaused             no\n',
    )
    await runNext('config --cooldown-days 14 --keypair "$ADMIN"')
    const shown = (await registry('config')).stdout
    expect(shown).toBe(before.replace('7 days', '14 days'))
    const signed = ['--keypair', env['ADMIN']!, '--priority-fee', '1000']
    await json('config', '--paused', 'true', '--thresholds', '0,1,2.5,3', ...signed)
    expect(await json('config')).toMatchObject({
      paused: true,
      tierThresholds: ['0', '1000000', '2500000', '3000000'],
      cooldownSeconds: String(14 * 86_400),
    })
    await json('config', '--paused', 'false', ...signed)
  })

  test('only the admin can change the config, and a change needs a key', async () => {
    const other = join(folder, 'stranger.json')
    expect((await registry('config', '--paused', 'true')).stderr).toContain('Set --keypair')
    expect((await registry('config', '--paused', 'true', '--keypair', other)).stderr).toBe(
      `Only the admin ${ADMIN} can do this; --keypair is ${stranger!.publicKey.toBase58()}`,
    )
  })

  test('reporters are added, listed, disabled and enabled', async () => {
    env['REPORTER'] = Keypair.generate().publicKey.toBase58()
    await runNext('reporter add "$REPORTER" --label "first reporter" --keypair "$ADMIN"')
    const listed = `${env['REPORTER']}  first reporter, weight 10, 0 reports`
    expect(await runNext('reporter list')).toBe(`${listed}\n`)
    const signed = [env['REPORTER'], '--keypair', env['ADMIN']!]
    expect((await registry('reporter', 'add', ...signed, '--label', 'x')).stderr).toContain(
      'already a reporter',
    )
    await json('reporter', 'disable', ...signed)
    expect((await registry('reporter', 'list')).stdout).toBe(`${listed}, disabled\n`)
    expect((await registry('reporter', 'disable', ...signed)).stderr).toContain('is already disabled')
    expect((await registry('reporter', 'enable', ADMIN, ...signed.slice(1))).stderr).toBe(
      `${ADMIN} is not a reporter`,
    )
    expect(await json('status')).toMatchObject({ reporters: { total: 1, active: 0 } })
    await json('reporter', 'enable', ...signed)
    expect(await runNext('status')).toContain('reporters          1, 1 active\n')
    expect(commands).toEqual([])
  })

  test('if the node does not say whether a transaction landed, the command ends with code 3', async () => {
    const change = ['config', '--paused', 'false', '--keypair', env['ADMIN']!]
    net.fault.http({ methods: ['sendTransaction'], status: 503 })
    const announced = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { code, stderr } = await runCommand(env, '--json', 'registry', ...change)
    net.fault.clear()
    const [[line] = []] = announced.mock.calls
    announced.mockRestore()
    expect(code).toBe(3)
    const signed = JSON.parse(String(line)) as { signature: string; lastValidBlockHeight: number }
    expect(signed).toMatchObject({ status: 'signed', signature: expect.any(String) })
    const { error, ...context } = JSON.parse(stderr) as Record<string, unknown>
    expect(context).toMatchObject({ code: 'OUTCOME_UNKNOWN', signature: signed.signature })
    expect(error).toContain(
      `Look whether the transaction ${signed.signature} landed before you send it again`,
    )
    expect(error).toContain(`until block height ${signed.lastValidBlockHeight}`)
  })

  test('a gateway on this ledger serves the first agent, which the program of the guide registers', async () => {
    const { SOLANA_RPC_URL, REGISTRY_PROGRAM_ID } = env
    const settings = { SOLANA_RPC_URL, REGISTRY_PROGRAM_ID, WEBHOOK_SECRETS_KEY: '07'.repeat(32) }
    const gateway = await startGatewayInProcess(settings as Record<string, string>)
    try {
      const owner = Keypair.generate()
      await fund(owner)
      symlinkSync(
        fileURLToPath(new URL('../../../node_modules', import.meta.url)),
        join(folder, 'node_modules'),
      )
      writeFileSync(join(folder, 'register.mjs'), codeBlockOf(readGuide('register-an-agent'), 'js'))
      const variables = { GATEWAY: gateway.runtime.baseUrl, KEY_FILE: keyFile('owner', owner) }
      const options = { cwd: folder, env: { ...process.env, ...variables } }
      const { stdout } = await promisify(execFile)(process.execPath, ['register.mjs'], options)
      expect(stdout).toMatch(/^confirmed /)
      const query = `owner=${owner.publicKey.toBase58()}&include_mismatched=true`
      await expect
        .poll(async () => (await fetch(`${gateway.runtime.baseUrl}/agents?${query}`)).json())
        .toMatchObject({ total: 1, agents: [{ name: 'Weather Scout' }] })
    } finally {
      await gateway.remove()
    }
  })
})

describe('a problem that the operator can fix is one line without a stack trace', () => {
  test.each([
    [['--url', 'http://127.0.0.1:1'], /^The node 127\.0\.0\.1:1 did not answer getGenesisHash: .+$/],
    [['--url', 'nowhere'], /^--url must be an http or https URL, or devnet, testnet or mainnet-beta$/],
    [['--url', 'file:///etc/passwd'], /^--url must be an http or https URL/],
  ])('%j', async (args, text) => {
    const { code, stderr } = await registry('status', ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
  })

  test('no ledger at all', async () => {
    const { stderr } = await runCommand({ DATA_DIR: '/nowhere' }, 'registry', 'status')
    expect(stderr).toBe('No ledger is set. Set --url or SOLANA_RPC_URL, or start a localnet with npm start')
  })

  test('the error does not contain the path of the URL, which may be an API key', async () => {
    const { stderr } = await registry('status', '--url', 'http://127.0.0.1:1/secret-key')
    expect(stderr).not.toContain('secret-key')
  })
})
