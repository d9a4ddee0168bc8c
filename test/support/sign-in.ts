import { createHash } from 'node:crypto'
import type { SolanaSignInInput } from '@solana/wallet-standard-features'
import { createSignInMessage } from '@solana/wallet-standard-util'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import type { TestApp } from './app.ts'

export interface Challenge {
  readonly input: SolanaSignInInput & { readonly nonce: string }
  readonly message: string | null
  readonly expiresAt: string
}

/** A wallet with `solana:signIn` of the Wallet Standard. It writes its messages itself. */
export function signInWallet(label: string) {
  const pair = nacl.sign.keyPair.fromSeed(createHash('sha256').update(`wallet ${label}`).digest())
  const address = bs58.encode(pair.publicKey)
  const sign = (text: string): string => bs58.encode(nacl.sign.detached(Buffer.from(text), pair.secretKey))
  return {
    address,
    sign,
    /** `change` is what a wallet or an attacker does to the text before it is signed. */
    signIn: (input: SolanaSignInInput, change = (text: string) => text) => {
      const domain = input.domain ?? 'unknown'
      const bytes = createSignInMessage({ ...input, domain, address: input.address ?? address })
      const message = change(new TextDecoder().decode(bytes))
      return { message, signature: sign(message) }
    },
  }
}
export type SignedMessage = ReturnType<SignInWallet['signIn']>
export type SignInWallet = ReturnType<typeof signInWallet>

export async function requestChallenge({ app }: TestApp, body: object = {}): Promise<Challenge> {
  const response = await app.inject({ method: 'POST', url: '/auth/challenge', payload: body })
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json()
}

export async function signIn(t: TestApp, wallet: SignInWallet): Promise<string> {
  const { input } = await requestChallenge(t)
  const payload = wallet.signIn(input)
  const response = await t.app.inject({ method: 'POST', url: '/auth/session', payload })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<{ token: string }>().token
}

export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` })
