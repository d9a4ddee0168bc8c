import { ADDRESS } from '../shell/find.ts'

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Each check returns what is wrong and what is allowed, or null. The program has the same rules.
 */
export function checkName(name: string): string | null {
  if (name === '') return 'Enter a name.'
  if (bytesOf(name) > 32) return `The name has ${bytesOf(name)} bytes. At most 32 are allowed.`
  return /\p{Cc}/u.test(name) ? 'The name must not contain control characters.' : null
}

export function checkCardUrl(url: string): string | null {
  if (!/^(https|ipfs|ar|did):/.test(url)) return 'Enter a URL that begins with https, ipfs, ar or did.'
  return bytesOf(url) > 200 ? `The URL has ${bytesOf(url)} bytes. At most 200 are allowed.` : null
}

export function checkHash(hash: string): string | null {
  return /^[0-9a-f]{64}$/i.test(hash) ? null : 'Choose the card file, or enter its hash: 64 hex digits.'
}

export function checkVersion(version: string): string | null {
  return bytesOf(version) > 16 ? `The version has ${bytesOf(version)} bytes. At most 16 are allowed.` : null
}

/** Of an optional agent. */
export function checkAgent(agent: string): string | null {
  if (agent === '' || ADDRESS.test(agent)) return null
  return 'Enter the address of an agent: 32 to 44 letters and digits.'
}
