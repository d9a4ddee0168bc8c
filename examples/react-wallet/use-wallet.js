import { signerFromWalletStandard } from '@agent-registry/client'
import { getWallets } from '@wallet-standard/app'
import { useState, useSyncExternalStore } from 'react'

// The network of the gateway.
const CHAIN = import.meta.env.VITE_CHAIN ?? 'solana:localnet'
const { get, on } = getWallets()
const subscribe = (listener) => on('register', listener)

const isUsable = ({ features }) => 'standard:connect' in features && 'solana:signTransaction' in features

/** The wallets of the browser, and the signer of the wallet that the user connected. */
export function useWallet() {
  const wallets = useSyncExternalStore(subscribe, get).filter(isUsable)
  const [signer, setSigner] = useState(null)
  const connect = async (wallet) => {
    const { accounts } = await wallet.features['standard:connect'].connect()
    if (accounts.length > 0) setSigner(signerFromWalletStandard(wallet, accounts[0], CHAIN))
  }
  return { wallets, signer, connect }
}
