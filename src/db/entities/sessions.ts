import { defineEntity } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

/** A nonce that one sign-in may use. */
export const SignInChallenge = defineEntity({
  name: 'SignInChallenge',
  tableName: 'sign_in_challenges',
  properties: {
    nonce: key().primary(),
    expiresAt: timestamp(),
  },
})

/** A wallet that is signed in. The row is deleted when the session ends. */
export const WalletSession = defineEntity({
  name: 'WalletSession',
  tableName: 'wallet_sessions',
  properties: {
    /** base64url SHA-256 of the token. */
    tokenHash: key().primary(),
    wallet: key(),
    createdAt: timestamp(),
    /** Written at most once a minute. */
    usedAt: timestamp(),
    expiresAt: timestamp(),
  },
})
