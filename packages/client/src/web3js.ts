import { type PublicKey, VersionedTransaction } from '@solana/web3.js'
import { type KeySigner, signerFromSecretKey } from './signers/secret-key.ts'
import type { Signer } from './signers/signer.ts'

/** A wallet from a `Keypair` of web3.js. */
export function signerFromKeypair(keypair: { readonly secretKey: Uint8Array }): Promise<KeySigner> {
  return signerFromSecretKey(keypair.secretKey)
}

/** The parts of a wallet adapter (`useWallet()`) that are used. */
export interface WalletAdapter {
  readonly publicKey: PublicKey | null
  signTransaction?(transaction: VersionedTransaction): Promise<VersionedTransaction>
  signMessage?(message: Uint8Array): Promise<Uint8Array>
}

/** A wallet from a connected wallet adapter. Throws TypeError if it is not connected. */
export function signerFromWalletAdapter(adapter: WalletAdapter): Signer {
  if (adapter.publicKey === null) throw new TypeError('The wallet is not connected')
  return {
    address: adapter.publicKey.toBase58(),
    signTransaction: async (transaction) => {
      if (adapter.signTransaction === undefined) throw new TypeError('The wallet cannot sign transactions')
      const signed = await adapter.signTransaction(VersionedTransaction.deserialize(transaction))
      return signed.serialize()
    },
    ...(adapter.signMessage && { signMessage: (message: Uint8Array) => adapter.signMessage!(message) }),
  }
}
