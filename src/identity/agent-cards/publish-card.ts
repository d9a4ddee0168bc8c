import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import { sha256 } from '../json.ts'
import { parseCard, readCardContent } from './card-content.ts'

/** Stores a document on the localnet. Returns its URL, with the scheme ipfs. */
export type PublishDocument = (document: Uint8Array) => string

export interface PublishedCard {
  readonly url: string
  /** SHA-256 of the published bytes, hex. */
  readonly hash: string
}

/** Bytes of UTF-8. */
export const MAX_PUBLISHED_CARD = 16_384

/**
 * Publishes agent cards on a localnet, for trying out a registration. `publish` is null on other
 * networks: then it throws LOCALNET_ONLY. Throws INVALID_TEXT for a card that an A2A client could
 * not use.
 */
export const createCardPublisher = (publish: PublishDocument | null) => ({
  publish: (card: string): PublishedCard => {
    if (publish === null) throw new DomainError('LOCALNET_ONLY')
    const bytes = Buffer.from(card)
    const problem = problemOf(bytes)
    if (problem !== null)
      throw new DomainError('INVALID_TEXT', { parameter: 'card', problem, value: quoted(card) })
    return { url: publish(bytes), hash: sha256(bytes).toString('hex') }
  },
})

function problemOf(bytes: Buffer): string | null {
  if (bytes.length > MAX_PUBLISHED_CARD) return `must have at most ${MAX_PUBLISHED_CARD} bytes`
  const json = parseCard(bytes)
  if (json === null) return 'must be JSON'
  if (json.problem !== null) return `must be a JSON document with one meaning: ${json.problem}`
  const content = readCardContent(json.value)
  if (content === null) return 'must be a JSON object'
  const missing = [
    ...(['name', 'description', 'version'] as const).filter((member) => content[member] === null),
    ...(content.interfaces.length === 0 ? ['supportedInterfaces'] : []),
    ...(content.skills.length === 0 ? ['skills'] : []),
  ]
  return missing.length === 0 ? null : `must have ${missing.join(', ')} (Agent2Agent 1.0)`
}
