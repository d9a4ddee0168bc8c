import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import { sha256 } from '../json.ts'
import { parseCard } from './card-content.ts'
import { findCardProblems } from './card-problems.ts'

/** Stores a document on the localnet. Returns its URL, with the scheme ipfs. */
export type PublishDocument = (document: Uint8Array) => string

export interface PublishedCard {
  readonly url: string
  /** SHA-256 of the published bytes, hex. */
  readonly hash: string
}

/** Of a card that a client sends. Bytes of UTF-8. */
export const MAX_PUBLISHED_CARD = 16_384

/**
 * Publishes agent cards on a localnet, for trying out a registration. `publish` is null on other
 * networks: then it throws LOCALNET_ONLY. Throws INVALID_TEXT for a card that an A2A client could
 * not use.
 */
export const createCardPublisher = (publish: PublishDocument | null) => ({
  publish: (card: string): PublishedCard => {
    if (publish === null) throw new DomainError('LOCALNET_ONLY')
    const bytes = encodeCard(card)
    const { problems } = findCardProblems(parseCard(bytes))
    if (problems.length > 0) {
      const found = problems.map(({ path, problem }) => `${path || 'it'} ${problem}`)
      throw refusedCard(card, `must follow Agent2Agent (A2A): ${found.join(', ')}`)
    }
    return { url: publish(bytes), hash: sha256(bytes).toString('hex') }
  },
})

/** The bytes of a card that a client sends. Throws INVALID_TEXT if there are too many. */
export function encodeCard(card: string): Buffer {
  const bytes = Buffer.from(card)
  if (bytes.length <= MAX_PUBLISHED_CARD) return bytes
  throw refusedCard(card, `must have at most ${MAX_PUBLISHED_CARD} bytes`)
}

const refusedCard = (card: string, problem: string): DomainError =>
  new DomainError('INVALID_TEXT', { parameter: 'card', problem, value: quoted(card) })
