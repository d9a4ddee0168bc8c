import { hasTexts, readText, readValue, storeText, storeValue } from './storage.ts'

const NAME = 'session'

export interface StoredSession {
  readonly token: string
  readonly wallet: string
  readonly expiresAt: string
}

/** The session of this tab, if it did not end. */
export function readSession(): StoredSession | null {
  const stored = readValue(NAME)
  if (!hasTexts(stored, 'token', 'wallet', 'expiresAt')) return null
  return Date.parse(stored.expiresAt) > Date.now() ? stored : null
}

export const storeSession = (session: StoredSession | null): boolean => storeValue(NAME, session)

const OPERATOR = 'operator'

/** The token of the operator in this tab. The gateway may refuse it. */
export const readOperatorToken = (): string | null => readText('sessionStorage', OPERATOR)
export const storeOperatorToken = (token: string | null): boolean =>
  storeText('sessionStorage', OPERATOR, token)
