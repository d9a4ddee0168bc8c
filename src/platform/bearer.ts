import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Whether an Authorization header has this token. Takes the same time for every wrong one. Without
 * a token, no header has it.
 */
export function bearerCheck(token: string | null): (authorization: string | undefined) => boolean {
  if (token === null) return () => false
  const expected = sha256(`Bearer ${token}`)
  return (authorization = '') => timingSafeEqual(sha256(authorization), expected)
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
