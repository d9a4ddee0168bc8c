import type { Pubkey } from '@agent-registry/solana'
import type { CardContent, CardMatch, CardSignature } from '../../domain/agent-card.ts'
import {
  fetchHosted,
  type HostedDependencies,
  type HostState,
} from '../../platform/net/hosted/fetch-hosted.ts'
import { sha256Hex } from '../json.ts'
import { type CardJson, parseCard, readCardContent } from './card-content.ts'
import { checkCardSignature } from './card-signature.ts'

/** Real cards have up to some ten thousand bytes. */
export const MAX_CARD_BYTES = 262_144

export interface RecordedCard {
  readonly owner: Pubkey
  readonly url: string
  /** Hex SHA-256 recorded on the ledger. */
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
  | { readonly state: 'unreachable'; readonly reason: string; readonly host: HostState }

/** Fetches an agent's card and compares it with the hash on the ledger. */
export async function checkCard(card: RecordedCard, dependencies: HostedDependencies): Promise<CardOutcome> {
  const hosted = await fetchHosted(card.url, MAX_CARD_BYTES, dependencies)
  if (hosted.kind === 'failed') {
    return { state: 'unreachable', reason: hosted.reason, host: hosted.host }
  }
  const json = parseCard(hosted.body)
  const matchedBy = matchCard(hosted.body, json, card.hash)
  return {
    state: matchedBy === null ? 'mismatched' : 'matched',
    reason: matchedBy === null ? mismatchReason(json) : null,
    matchedBy,
    signature: json === null ? 'unsigned' : checkCardSignature(json, card.owner),
    content: json === null ? null : readCardContent(json.value),
  }
}

/** Returns which form of a card has the recorded hash (hex SHA-256). Null if neither has. */
export function matchCard(body: Uint8Array, json: CardJson | null, recordedHash: string): CardMatch | null {
  if (sha256Hex(body) === recordedHash) return 'raw'
  const canonical = json?.canonical ?? null
  return canonical !== null && sha256Hex(canonical) === recordedHash ? 'jcs' : null
}

function mismatchReason(json: CardJson | null): string {
  if (json === null) return 'The hosted document has another hash and is not JSON'
  if (json.problem !== null) {
    return `The hosted card has another hash and no canonical form: ${json.problem}`
  }
  return 'The hosted card has another hash, and so does its canonical form'
}
