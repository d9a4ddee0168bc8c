import { createRegistry, type Registry, signerFromWalletStandard, type Signer } from '@agent-registry/client'
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import { gatewayUrl } from '../api/base.ts'

interface Connect {
  connect(): Promise<{ readonly accounts: readonly WalletAccount[] }>
}

/** Asks the wallet for an account, and returns a signer for it. */
export async function connectWallet(wallet: Wallet, network: string): Promise<Signer> {
  const feature = wallet.features['standard:connect'] as Connect
  const { accounts } = await feature.connect()
  const account = [...accounts, ...wallet.accounts].find(({ chains }) =>
    chains.some((chain) => chain.startsWith('solana:')),
  )
  if (account === undefined) throw new Error('The wallet shared no Solana account.')
  return signerFromWalletStandard(wallet, account, chainOf(network))
}

/** The name of the Wallet Standard for a network of the gateway. */
function chainOf(network: string): `solana:${string}` {
  return `solana:${network.replace('mainnet-beta', 'mainnet')}`
}

/** The client of the gateway. It checks each prepared transaction before a wallet signs it. */
export function registryFor(token: string | null, program?: string): Registry {
  const registry = createRegistry(gatewayUrl, program === undefined ? {} : { program })
  registry.sessions.use(token)
  return registry
}

export { throwAwayWallet } from './throw-away.ts'
