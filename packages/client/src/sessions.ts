import { encodeBase58, utf8 } from '@agent-registry/solana/wire'
import type { Context } from './context.ts'
import type { Operations } from './generated/api.ts'
import type { Signer } from './signers/signer.ts'

export type Session = Operations['createSession']['response']

export interface SignInOptions {
  /**
   * Origin of the page that the user sees. `location.origin` in browsers, else that of the gateway.
   */
  readonly origin?: string
}

/** The gateway asked the wallet to sign in somewhere else. Nothing was signed. */
export class UnexpectedSignInError extends Error {
  override readonly name = 'UnexpectedSignInError'
}

/** A session replaces the signatures of requests that need a wallet. It signs no transactions. */
export function createSessions({ call, transport }: Context) {
  return {
    /** Signs in. Later requests of this registry use the session. */
    signIn: async (wallet: Signer, options: SignInOptions = {}): Promise<Session> => {
      const page = (globalThis as { location?: { origin?: string } }).location?.origin
      const origin = options.origin ?? page ?? new URL(transport.url).origin
      const body = { wallet: wallet.address, origin }
      const { input } = await call('createSignInChallenge', { body })
      const checked = checkInput(input, wallet.address, origin)
      const { message, signature } = await sign(wallet, checked)
      const session = await call('createSession', {
        body: { message: new TextDecoder().decode(message), signature: encodeBase58(signature) },
      })
      transport.token = session.token
      return session
    },

    /** Uses the token of an earlier sign-in. Null stops the use of a session. */
    use: (token: string | null): void => {
      transport.token = token
    },

    /** The current session. */
    get: () => call('getSession', {}),

    /** Ends the session, or all sessions of the wallet. */
    signOut: async ({ all = false }: { readonly all?: boolean } = {}): Promise<void> => {
      await call('endSession', all ? { query: { all } } : {})
      transport.token = null
    },
  }
}

/** The members that are signed, if they name this wallet and this page. */
function checkInput(input: SignInInput, address: string, origin: string): Required<SignInInput> {
  const expected = { domain: new URL(origin).host, address, uri: origin, version: '1' }
  for (const [name, value] of Object.entries(expected)) {
    const given = input[name as keyof SignInInput]
    if (given !== value) throw new UnexpectedSignInError(`The ${name} must be ${value}, got ${given}`)
  }
  const { statement, chainId, nonce, issuedAt, expirationTime } = input
  const rest = { statement, chainId, nonce, issuedAt, expirationTime }
  for (const [name, value] of Object.entries(rest))
    if (typeof value !== 'string' || !/^[ -~]{1,300}$/.test(value))
      throw new UnexpectedSignInError(`The ${name} must be one line of ASCII text`)
  return { ...expected, ...rest }
}

async function sign(
  wallet: Signer,
  input: Required<SignInInput>,
): Promise<{ message: Uint8Array; signature: Uint8Array }> {
  if (wallet.signIn !== undefined) return wallet.signIn(input)
  if (wallet.signMessage === undefined) throw new TypeError('The wallet cannot sign messages')
  const message = utf8(signInMessage(input))
  return { message, signature: await wallet.signMessage(message) }
}

/** `SolanaSignInInput` of the Wallet Standard. */
type SignInInput = Operations['createSignInChallenge']['response']['input']

/** The text of Sign-In-With-Solana (CAIP-122), as `solana:signIn` writes it. */
function signInMessage(input: Required<SignInInput>): string {
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
