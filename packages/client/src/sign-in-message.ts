import type { Operations } from './generated/api.ts'

/** `SolanaSignInInput` of the Wallet Standard. */
export type SignInInput = Operations['createSignInChallenge']['response']['input']

/** The text of Sign-In-With-Solana (CAIP-122), as `solana:signIn` writes it. */
export function signInMessage(input: Required<SignInInput>): string {
  const { domain, address, statement, uri, version, chainId, nonce, issuedAt, expirationTime } = input
  return `${domain} wants you to sign in with your Solana account:
${address}

${statement}

URI: ${uri}
Version: ${version}
Chain ID: ${chainId}
Nonce: ${nonce}
Issued At: ${issuedAt}
Expiration Time: ${expirationTime}`
}
