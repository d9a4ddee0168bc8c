import { createHash } from 'node:crypto'
import type { CardJson } from './read-json.ts'
import type { CardMatch } from '../../domain/agent-card.ts'

/** Which form of a hosted card has the hash that is recorded on the ledger (hex SHA-256); null where neither has. */
export function matchCard(body: Uint8Array, json: CardJson | null, recordedHash: string): CardMatch | null {
  if (sha256(body) === recordedHash) return 'raw'
  if (json?.canonical === null || json === null) return null
  return sha256(json.canonical) === recordedHash ? 'jcs' : null
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}
