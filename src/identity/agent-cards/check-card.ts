import type { Pubkey } from '@agent-registry/solana'
import { fetchHosted, type HostedDependencies } from '../../platform/net/hosted/fetch-hosted.ts'
import { readCardContent } from './card-content.ts'
import { checkCardSignature } from './card-signature.ts'
import { readJson, type CardJson } from './read-json.ts'
import type { CardContent, CardSignature, CardMatch } from '../../domain/agent-card.ts'
import { createHash } from 'node:crypto'

/** Bytes; the cards of busy agents have some ten thousand. */
export const MAX_CARD_BYTES = 262_144

export interface RecordedCard {
  readonly owner: Pubkey
  readonly url: string
  /** Hex SHA-256, as recorded on the ledger. */
  readonly hash: string
}

export type CardOutcome =
  | {
      readonly state: 'matched' | 'mismatched'
      readonly reason: string | null
      readonly matchedBy: CardMatch | null
      readonly signature: CardSignature
      readonly content: CardContent | null
    }
  | { readonly state: 'unreachable'; readonly reason: string; readonly hostDown: boolean }

/** Fetches an agent's card and compares it with what the ledger says of it. */
export async function checkCard(card: RecordedCard, dependencies: HostedDependencies): Promise<CardOutcome> {
  const hosted = await fetchHosted(card.url, MAX_CARD_BYTES, dependencies)
  if (hosted.kind === 'failed') {
    return { state: 'unreachable', reason: hosted.reason, hostDown: hosted.hostDown }
  }
  const json = readJson(hosted.body)
  const matchedBy = matchCard(hosted.body, json, card.hash)
  return {
    state: matchedBy === null ? 'mismatched' : 'matched',
    reason: matchedBy === null ? mismatchReason(json) : null,
    matchedBy,
    signature: json === null ? 'unsigned' : checkCardSignature(json, card.owner),
    content: json === null ? null : readCardContent(json.value),
  }
}

function mismatchReason(json: ReturnType<typeof readJson>): string {
  if (json === null) return 'The hosted document has another hash, and is not JSON'
  if (json.canonical === null) {
    return 'The hosted card has another hash, and no canonical form: a key comes twice, a number is too large, or it has too many values'
  }
  return 'The hosted card has another hash, in its canonical form as well'
}

/** Which form of a hosted card has the hash that is recorded on the ledger (hex SHA-256); null where neither has. */
export function matchCard(body: Uint8Array, json: CardJson | null, recordedHash: string): CardMatch | null {
  if (sha256(body) === recordedHash) return 'raw'
  if (json?.canonical === null || json === null) return null
  return sha256(json.canonical) === recordedHash ? 'jcs' : null
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}
