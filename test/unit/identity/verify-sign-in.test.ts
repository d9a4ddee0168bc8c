import { createSignInMessageText } from '@solana/wallet-standard-util'
import { expect, test } from 'vitest'
import { CLOCK_SKEW_MS, verifySignIn } from '../../../src/identity/sessions/sign-in.ts'
import { signInWallet } from '../../support/sign-in.ts'

const NOW = Date.parse('2026-11-25T12:00:00Z')
const wallet = signInWallet('owner')
const rules = {
  origins: { origins: ['https://agents.example'], anyLoopback: false },
  chainIds: ['mainnet'],
  now: NOW,
}
const at = (ms: number) => new Date(NOW + ms).toISOString()

/** The code of the error, or 'verified'. */
function outcome(changes: object, sign = (text: string) => wallet.sign(text)): string {
  const message = createSignInMessageText({
    domain: 'agents.example',
    address: wallet.address,
    statement: 'Sign in.',
    uri: 'https://agents.example/',
    version: '1',
    chainId: 'mainnet',
    nonce: 'a'.repeat(16),
    issuedAt: at(0),
    ...changes,
  })
  try {
    verifySignIn({ message, signature: sign(message) }, rules)
    return 'verified'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.each<[string, object, object, string]>([
  ['issuedAt', { issuedAt: at(CLOCK_SKEW_MS) }, { issuedAt: at(CLOCK_SKEW_MS + 1) }, 'SIGN_IN_EXPIRED'],
  ['notBefore', { notBefore: at(CLOCK_SKEW_MS) }, { notBefore: at(CLOCK_SKEW_MS + 1) }, 'SIGN_IN_EXPIRED'],
  ['expirationTime', { expirationTime: at(1) }, { expirationTime: at(0) }, 'SIGN_IN_EXPIRED'],
  [
    'the length of the nonce',
    { nonce: 'a'.repeat(24) },
    { nonce: 'a'.repeat(25) },
    'INVALID_SIGN_IN_MESSAGE',
  ],
  [
    'the start of the nonce',
    { nonce: `1${'a'.repeat(15)}` },
    { nonce: `0${'a'.repeat(16)}` },
    'INVALID_SIGN_IN_MESSAGE',
  ],
  ['the page', { uri: 'https://agents.example/x' }, { uri: 'no URL' }, 'INVALID_SIGN_IN_MESSAGE'],
])('%s is accepted at its limit, and not beyond', (_, within, beyond, code) => {
  expect([outcome(within), outcome(beyond)]).toEqual(['verified', code])
})

test('a signature is base-58 or base64 of 64 bytes, and nothing more', () => {
  const base64 = Buffer.alloc(64, 1).toString('base64')
  expect(outcome({}, () => base64)).toBe('INVALID_SIGN_IN_SIGNATURE')
  expect(outcome({}, () => `${base64}A`)).toBe('INVALID_SIGN_IN_ENCODING')
})
