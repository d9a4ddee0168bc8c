/** A wallet. Private keys stay in it. */
export interface Signer {
  /** Public key, base-58. */
  readonly address: string
  /** Returns the transaction with this wallet's signature. Other signatures stay. */
  signTransaction(transaction: Uint8Array): Promise<Uint8Array>
  /**
   * Returns the detached Ed25519 signature (64 bytes). Needed for webhooks, credentials and
   * sessions.
   */
  signMessage?(message: Uint8Array): Promise<Uint8Array>
  /** Signs in with the wallet's own dialog, if it has one (`solana:signIn`). */
  signIn?(input: object): Promise<{ message: Uint8Array; signature: Uint8Array }>
}
