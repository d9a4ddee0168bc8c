import type { Signer } from './signer.ts'

/** The parts of a wallet and an account of the Wallet Standard that are used. */
export interface StandardWallet {
  readonly features: Readonly<Record<string, unknown>>
}
export interface StandardAccount {
  readonly address: string
}

type Feature<Name extends string, Result> = Readonly<
  Record<Name, (...inputs: object[]) => Promise<readonly Result[]>>
>

/**
 * A wallet of the Wallet Standard, as browsers find it with `getWallets()`. `chain` is the network
 * of the gateway, such as `solana:mainnet`.
 */
export function signerFromWalletStandard(
  wallet: StandardWallet,
  account: StandardAccount,
  chain: `solana:${string}`,
): Signer {
  const { features } = wallet
  const transactions = features['solana:signTransaction'] as
    | Feature<'signTransaction', { signedTransaction: Uint8Array }>
    | undefined
  const messages = features['solana:signMessage'] as
    | Feature<'signMessage', { signature: Uint8Array }>
    | undefined
  const signIns = features['solana:signIn'] as
    | Feature<'signIn', { signedMessage: Uint8Array; signature: Uint8Array }>
    | undefined
  return {
    address: account.address,
    signTransaction: async (transaction) => {
      if (transactions === undefined) throw new TypeError('The wallet cannot sign transactions')
      const [result] = await transactions.signTransaction({ account, transaction, chain })
      return result!.signedTransaction
    },
    ...(messages && {
      signMessage: async (message: Uint8Array) =>
        (await messages.signMessage({ account, message }))[0]!.signature,
    }),
    ...(signIns && {
      signIn: async (input: object) => {
        const [result] = await signIns.signIn(input)
        return { message: result!.signedMessage, signature: result!.signature }
      },
    }),
  }
}
