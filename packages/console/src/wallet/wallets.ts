import { getWallets } from '@wallet-standard/app'
import type { Wallet } from '@wallet-standard/base'
import { useSyncExternalStore } from 'react'

/** Features that the console needs of a wallet. */
const NEEDED = ['standard:connect', 'solana:signTransaction']

let wallets: readonly Wallet[] = []

function read(): readonly Wallet[] {
  const found = getWallets()
    .get()
    .filter(({ features }) => NEEDED.every((name) => name in features))
  // Snapshots are compared by identity.
  if (found.length !== wallets.length || found.some((each, i) => each !== wallets[i])) wallets = found
  return wallets
}

function subscribe(changed: () => void): () => void {
  const installed = getWallets()
  const stops = [installed.on('register', changed), installed.on('unregister', changed)]
  return () => stops.forEach((stop) => stop())
}

/** The installed wallets of the Wallet Standard. */
export function useWallets(): readonly Wallet[] {
  return useSyncExternalStore(subscribe, read)
}
