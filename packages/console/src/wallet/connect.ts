import {
  agentAddress,
  createRegistry,
  generateSigner,
  type Registry,
  signerFromSecretKey,
  signerFromWalletStandard,
  type Signer,
} from '@agent-registry/client'
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import { getWallets } from '@wallet-standard/app'
import { gatewayUrl } from '../api/base.ts'
import { networkName } from '../api/enums.ts'
import { readValue, storeValue } from '../api/storage.ts'
import { save } from '../ui/save.ts'
import type { UsedWallet } from './account.tsx'

interface Connect {
  connect(input?: { readonly silent: boolean }): Promise<{ readonly accounts: readonly WalletAccount[] }>
}

/** Asks the wallet for an account, and returns a signer for it. `silent`: without a dialog. */
export async function connectWallet(wallet: Wallet, network: string, silent = false): Promise<Signer> {
  const feature = wallet.features['standard:connect'] as Connect
  const { accounts } = await feature.connect({ silent })
  const account = [...accounts, ...wallet.accounts].find(({ chains }) =>
    chains.some((chain) => chain.startsWith('solana:')),
  )
  if (account === undefined) throw new Error('The wallet shared no Solana account.')
  return signerFromWalletStandard(wallet, account, chainOf(network))
}

/** Connects the wallet of this tab again after a reload. Null if that needs its owner. */
export async function reconnectWallet({ name, network }: UsedWallet): Promise<Signer | null> {
  if (network === null) return throwAwayWallet()
  const wallet = getWallets()
    .get()
    .find((each) => each.name === name)
  return wallet === undefined ? null : connectWallet(wallet, network, true).catch(() => null)
}

/** The name of the Wallet Standard for a network of the gateway. */
function chainOf(network: string): `solana:${string}` {
  return `solana:${networkName(network).replace('-beta', '')}`
}

/** The client of the gateway. It checks each prepared transaction before a wallet signs it. */
export function registryFor(token: string | null, program?: string): Registry {
  const registry = createRegistry(gatewayUrl, program === undefined ? {} : { program })
  registry.sessions.use(token)
  return registry
}

export { agentAddress }

const STORED_KEY = 'throw-away wallet'

let secretKey: readonly number[] | null = null

/** A wallet for the localnet. Its key is in sessionStorage, so it ends with the tab. */
export async function throwAwayWallet(): Promise<Signer> {
  const stored = readValue(STORED_KEY)
  const signer = await (Array.isArray(stored) ? signerFromSecretKey(stored as number[]) : generateSigner())
  secretKey = [...signer.secretKey]
  storeValue(STORED_KEY, secretKey)
  return signer
}

/** Saves the key of the wallet that this tab uses, as a file of the Solana command line. */
export function saveThrowAwayWallet(address: string): void {
  if (secretKey === null) throw new Error('The key of this wallet is not in this tab any more.')
  save(`${address}.json`, JSON.stringify(secretKey), 'application/json')
}
