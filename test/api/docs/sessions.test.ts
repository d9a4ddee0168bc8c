import { webcrypto } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createSignInMessage } from '@solana/wallet-standard-util'
import bs58 from 'bs58'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { GENESIS_LEDGER, useTestApp } from '../../support/app.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PAGE = 'https://app.example.org'
const guide = readGuide('sessions')
const folder = temporaryFolder('sessions-guide-')

const t = useTestApp({
  listens: true,
  clock: systemClock,
  ledger: GENESIS_LEDGER,
  signInOrigins: { origins: ['http://127.0.0.1:3000', PAGE], anyLoopback: false },
})
beforeAll(async () => {
  vi.stubGlobal('location', { origin: PAGE })
})
afterAll(async () => {
  vi.unstubAllGlobals()
})

/** A wallet with a key of WebCrypto, with the members that the guide names. */
async function createWallet() {
  const pair = (await webcrypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const publicKey = new Uint8Array(await webcrypto.subtle.exportKey('raw', pair.publicKey))
  const address = bs58.encode(publicKey)
  const signMessage = async (message: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await webcrypto.subtle.sign('Ed25519', pair.privateKey, message))
  const signIn = async (input: { domain: string; address?: string }) => {
    const signedMessage = new Uint8Array(createSignInMessage({ ...input, address: input.address ?? address }))
    return { signedMessage, signature: await signMessage(signedMessage) }
  }
  return { address, publicKey: { toBase58: () => address }, signMessage, signIn }
}

/** Runs the second example of the guide with this wallet. */
async function runExample(wallet: object): Promise<{ token: string; address: string }> {
  const file = join(folder, `example-${Math.random()}.mjs`)
  const example = `export async function run(gateway, wallet) {
    ${codeBlockOf(guide, 'javascript')}
    return { token, address, expiresAt, subscriptions }
  }`
  writeFileSync(file, `${codeBlockOf(guide, 'js')}\n${example}`)
  const { run } = (await import(pathToFileURL(file).href)) as {
    run: (gateway: string, wallet: object) => Promise<{ token: string; address: string; subscriptions: [] }>
  }
  const result = await run(t.url, wallet)
  expect(result.subscriptions).toEqual([])
  return result
}

test('the example signs in with solana:signIn, lists webhooks and ends the session', async () => {
  const { signMessage: _, ...wallet } = await createWallet()
  const { address, token } = await runExample(wallet)
  expect(address).toBe(wallet.address)
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${t.url}/webhooks`, { headers })).status).toBe(401)
})

test('the example signs in before the wallet is connected', async () => {
  const { address, signIn } = await createWallet()
  expect((await runExample({ publicKey: null, signIn })).address).toBe(address)
})

test('the example signs in with a wallet that can only sign messages', async () => {
  const { signIn: _, ...wallet } = await createWallet()
  expect((await runExample(wallet)).address).toBe(wallet.address)
})

test('an error of the example has the text and the status of the response', async () => {
  const { signIn, ...wallet } = await createWallet()
  vi.stubGlobal('location', { origin: 'https://evil.example' })
  await expect(runExample({ ...wallet, signIn })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('origin must be one of') as string,
  })
  vi.stubGlobal('location', { origin: PAGE })
})
