import { execFile, spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { useTestApp } from '../../support/app.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

type WalletHeaders = (wallet: object, method: string, path: string) => Promise<Record<string, string>>

const guide = readGuide('wallet-authentication')
const folder = temporaryFolder('wallet-authentication-')
const keyFile = join(folder, 'wallet.json')
const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0
const hasGo = spawnSync('go', ['version']).status === 0

const t = useTestApp({ listens: true, clock: systemClock })
beforeAll(async () => {
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
})

/** Writes a new key and the example into the folder, and runs it. Returns what it prints. */
async function run(language: string, file: string, command: string, ...args: string[]): Promise<string> {
  writeFileSync(keyFile, JSON.stringify([...nacl.sign.keyPair().secretKey]))
  writeFileSync(join(folder, file), codeBlockOf(guide, language))
  const env = { ...process.env, GATEWAY: t.url, KEY_FILE: keyFile }
  return (await promisify(execFile)(command, [...args, file], { cwd: folder, env })).stdout.trim()
}

const EXPECTED = '200 {"subscriptions":[]}'

test('the guide says what its examples print', () => {
  expect(guide).toContain(`\`\`\`text\n${EXPECTED}\n\`\`\``)
})

test('the TypeScript example lists the webhooks of its wallet', async () => {
  expect(await run('ts', 'list-webhooks.ts', process.execPath)).toBe(EXPECTED)
})

test.runIf(hasPython)('the Python example lists the webhooks of its wallet', async () => {
  expect(await run('python', 'list_webhooks.py', 'python3')).toBe(EXPECTED)
})

test.runIf(hasGo)('the Go example lists the webhooks of its wallet', async () => {
  expect(await run('go', 'main.go', 'go', 'run')).toBe(EXPECTED)
})

test('the browser example signs with a wallet adapter', async () => {
  const file = join(folder, 'wallet-headers.mjs')
  writeFileSync(file, codeBlockOf(guide, 'js'))
  const { walletHeaders } = (await import(pathToFileURL(file).href)) as { walletHeaders: WalletHeaders }
  const { publicKey, secretKey } = nacl.sign.keyPair()
  const wallet = {
    publicKey: { toBase58: () => bs58.encode(publicKey) },
    signMessage: async (message: Uint8Array) => nacl.sign.detached(message, secretKey),
  }
  const headers = await walletHeaders(wallet, 'GET', '/webhooks')
  expect((await fetch(`${t.url}/webhooks`, { headers })).status).toBe(200)
  expect((await fetch(`${t.url}/webhooks`, { method: 'POST', headers })).status).toBe(401)
})

test('the message and the signature of the guide belong to its seed', () => {
  const [, seed = '', message = '', signature] =
    /^seed +(\w+) .*\nmessage +(\S+)\nsignature +(\w+)$/m.exec(guide) ?? []
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(Buffer.from(seed, 'hex'))
  expect(message).toContain(`:${bs58.encode(publicKey)}:`)
  expect(signature).toBe(bs58.encode(nacl.sign.detached(Buffer.from(message), secretKey)))
})
