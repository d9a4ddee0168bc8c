import type { CardContent } from './card-content.ts'
import type { CardSignature } from './card-signature.ts'
import type { CardMatch } from './compare-card.ts'

/**
 * unchecked: nobody looked since the URL or the hash changed. unreachable: it could not be fetched; the verdict before still holds.
 */
export const CARD_STATES = ['unchecked', 'matched', 'mismatched', 'unreachable'] as const
export type CardState = (typeof CARD_STATES)[number]

/** An agent's hosted card as the read API shows it. */
export interface CardRow {
  readonly agentPda: string
  readonly state: CardState
  /** ISO 8601 with milliseconds. */
  readonly checkedAt: string | null
  readonly reason: string | null
  readonly matchedBy: CardMatch | null
  readonly signature: CardSignature | null
  /** Of the last card that was fetched from this URL. */
  readonly content: CardContent | null
}
