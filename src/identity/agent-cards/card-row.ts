import type { CardContent, CardSignature, CardMatch, CardState } from '../../domain/agent-card.ts'

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
