const NAME = 'session'

export interface StoredSession {
  readonly token: string
  readonly wallet: string
  readonly expiresAt: string
}

/** The session of this tab, if it did not end. */
export function readSession(): StoredSession | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as StoredSession | null
    return stored !== null && Date.parse(stored.expiresAt) > Date.now() ? stored : null
  } catch {
    return null
  }
}

export function storeSession(session: StoredSession | null): void {
  if (session === null) sessionStorage.removeItem(NAME)
  else sessionStorage.setItem(NAME, JSON.stringify(session))
}
