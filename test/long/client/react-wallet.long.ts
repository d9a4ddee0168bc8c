import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createRegistry } from '@agent-registry/client'
import { BROWSER } from '../support/browser.ts'
import { createBrowserPages } from '../support/browser-pages.ts'
import { exampleProject, packClient, run } from '../support/packed-client.ts'
import { createGatewayProcess } from '../../support/gateway-process.ts'
import { perFile } from '../../support/lifetime.ts'

/** Runs in the page: a wallet of the Wallet Standard, and a user who clicks. */
const PROGRAM = `
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
const sign = async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, bytes))

function base58(bytes) {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}

// The service is the first signer, the wallet the second.
async function signTransaction({ transaction }) {
  const signed = new Uint8Array(transaction)
  signed.set(await sign(transaction.subarray(1 + 64 * 2)), 1 + 64)
  return [{ signedTransaction: signed }]
}

const account = { address: base58(publicKey), publicKey, chains: ['solana:localnet'], features: [] }
const wallet = {
  version: '1.0.0',
  name: 'Test Wallet',
  icon: 'data:image/png;base64,',
  chains: ['solana:localnet'],
  accounts: [],
  features: {
    'standard:connect': { connect: async () => ({ accounts: [account] }) },
    'solana:signMessage': { signMessage: async ({ message }) => [{ signature: await sign(message) }] },
    'solana:signTransaction': { signTransaction },
  },
}
dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: ({ register }) => register(wallet) }))

const found = (selector, text) =>
  new Promise((resolve) => {
    const look = () => {
      const element = [...document.querySelectorAll(selector)].find((each) => each.textContent.includes(text))
      if (element !== undefined) resolve(element)
    }
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
    look()
  })

const click = async (text) => (await found('button', text)).click()
await click('Connect Test Wallet')
await click('Sign in')
const signedIn = (await found('output', ' ')).textContent
const form = await found('form', '')
form.elements.name.value = 'Browser Scout'
form.elements.code.value = new URLSearchParams(location.search).get('code')
form.requestSubmit()
const registered = (await found('output', ': ')).textContent
await fetch('/result', { method: 'POST', body: JSON.stringify({ address: account.address, signedIn, registered }) })
`

const pages = perFile(() =>
  createBrowserPages((path) => {
    if (path === '/test-program.js') return PROGRAM
    if (path.startsWith('/assets/')) return readFileSync(join(folder, 'dist', path), 'utf8')
    if (path !== '/') return null
    const page = readFileSync(join(folder, 'dist/index.html'), 'utf8')
    return page.replace('</body>', '<script type="module" src="/test-program.js"></script></body>')
  }),
)
const gateway = perFile(() => createGatewayProcess({ SEED_AGENTS: '0', CORS_ORIGINS: pages.origin }))
let folder: string
let baseUrl: string
beforeAll(async () => {
  const [{ baseUrl: url }, client] = await Promise.all([gateway.start(), packClient()])
  baseUrl = url
  folder = await exampleProject(client, 'react-wallet')
  await run('npx', ['vite', 'build'], folder, { VITE_GATEWAY: baseUrl })
})

test.runIf(BROWSER !== undefined)(
  'the page of the React example signs in and registers an agent with a wallet of the browser',
  async () => {
    const code = readFileSync(join(gateway.dataDir, 'invite-code'), 'utf8').trim()
    pages.open(`/?code=${code}`)
    const { address, signedIn, registered } = (await pages.result) as Record<string, string>
    expect(signedIn).toBe('Signed in, 0 webhooks')
    const [status, pda = ''] = registered!.split(': ')
    expect(status).toBe('confirmed')
    expect(await createRegistry(baseUrl).agents.get(pda, { waitMs: 10_000 })).toMatchObject({
      name: 'Browser Scout',
      owner: address,
    })
  },
)
