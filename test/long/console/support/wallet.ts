import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import type { BrowserContext, Page } from 'playwright-core'

/**
 * A wallet that the page finds by the Wallet Standard. It signs everything, with a real key, until
 * the page has a global `walletRefuses`. If there is a promise `walletWaits`, it answers after it.
 */
export interface BrowserWallet {
  readonly name: string
  readonly address: string
  /** Its key as `signerFromSecretKey` takes it. */
  readonly seed: Uint8Array
  /** Installs it in the pages that this context opens from now on. */
  install(context: BrowserContext): Promise<void>
}

export function browserWallet(label: string): BrowserWallet {
  const seed = createHash('sha256').update(`browser wallet ${label}`).digest()
  const { publicKey } = nacl.sign.keyPair.fromSeed(seed)
  const address = bs58.encode(publicKey)
  const name = 'Test Wallet'
  const given = { name, address, seed: [...seed], publicKey: [...publicKey] }
  return {
    name,
    address,
    seed,
    install: async (context) => void (await context.addInitScript(installWallet, given)),
  }
}

interface Given {
  readonly name: string
  readonly address: string
  readonly seed: number[]
  readonly publicKey: number[]
}

/** Runs in the page, so it uses nothing from outside. */
function installWallet({ name, address, seed, publicKey }: Given): void {
  const prefix = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]
  const key = globalThis.crypto.subtle.importKey(
    'pkcs8',
    new Uint8Array([...prefix, ...seed]),
    'Ed25519',
    false,
    ['sign'],
  )
  const sign = async (bytes: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await globalThis.crypto.subtle.sign('Ed25519', await key, new Uint8Array(bytes)))
  const chains = ['solana:mainnet', 'solana:devnet', 'solana:testnet', 'solana:localnet']
  const account = {
    address,
    publicKey: new Uint8Array(publicKey),
    chains,
    features: ['solana:signTransaction', 'solana:signMessage'],
  }
  // All numbers of signatures and keys of these transactions fit in one byte.
  const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => {
    if ('walletRefuses' in globalThis) throw new Error('The user refused')
    const signed = new Uint8Array(transaction)
    const message = signed.subarray(1 + 64 * signed[0]!)
    const keys = message.subarray(message[0]! >= 128 ? 5 : 4)
    const isOwn = (i: number) => publicKey.every((byte, k) => keys[32 * i + k] === byte)
    const index = Array.from({ length: signed[0]! }, (_, i) => i).find(isOwn)
    if (index === undefined) throw new Error('The transaction needs no signature of this wallet')
    signed.set(await sign(message), 1 + 64 * index)
    return { signedTransaction: signed }
  }
  const answers = (): Promise<void> | undefined => (globalThis as { walletWaits?: Promise<void> }).walletWaits
  const connect = async () => {
    await answers()
    return { accounts: [account] }
  }
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains,
    accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect },
      'standard:disconnect': { version: '1.0.0', disconnect: async () => undefined },
      'standard:events': { version: '1.0.0', on: () => () => undefined },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: (...inputs: { transaction: Uint8Array }[]) =>
          Promise.all(inputs.map(signTransaction)),
      },
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: (...inputs: { message: Uint8Array }[]) =>
          Promise.all(
            inputs.map(async ({ message }) => {
              await answers()
              return { signedMessage: message, signature: await sign(message) }
            }),
          ),
      },
    },
  }
  const register = (api: { register: (each: object) => void }): void => api.register(wallet)
  globalThis.addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail))
  globalThis.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
}

/** Connects the wallet in the header and, unless told otherwise, signs in. */
export async function connectWallet(page: Page, wallet: BrowserWallet, signIn = true): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click()
  const dialog = page.getByRole('dialog', { name: /wallet/ })
  await dialog.getByRole('button', { name: wallet.name }).click()
  const next = dialog.getByRole('button', { name: 'Sign in' })
  // A page that is left before the wallet is connected does not remember it.
  await next.waitFor()
  if (signIn) {
    await next.click()
    await dialog.getByText('You are signed in.').waitFor()
  }
  await dialog.getByRole('button', { name: 'Close' }).click()
}
