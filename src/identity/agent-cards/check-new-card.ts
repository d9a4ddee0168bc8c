import { LRUCache } from 'lru-cache'
import { AGENT_LIMITS, CARD_URL_SCHEMES, isCardUrl } from '../../domain/agent-limits.ts'
import type { CardMatch, CardState } from '../../domain/agent-card.ts'
import { DomainError } from '../../domain/errors.ts'
import { optional, sha256Parameter, textParameter } from '../../domain/parameters.ts'
import { quoted } from '../../domain/quoted.ts'
import type { Clock } from '../../platform/clock.ts'
import { fetchHosted, type HostedDependencies } from '../../platform/net/hosted/fetch-hosted.ts'
import { createMemoryCounter } from '../../platform/rate-limits/rate-limits.ts'
import { cardOrigin, GATEWAY_SITES } from '../sites.ts'
import { parseCard } from './card-content.ts'
import { type CardProblem, type CardVersion, findCardProblems } from './card-problems.ts'
import { type CardHashes, hashCard, MAX_CARD_BYTES, matchHash, mismatchReason } from './check-card.ts'
import { NEW_CARD_CHECKS } from './limits.ts'
import { encodeCard } from './publish-card.ts'

/** A card that no agent has yet. Exactly one member must be set. */
export interface NewCardSource {
  readonly url?: string | null
  /** JSON. */
  readonly card?: string | null
}

export interface NewCardVerdict {
  /** Unchecked: no hash was given. */
  readonly state: CardState
  readonly reason: string | null
  readonly matchedBy: CardMatch | null
  /** SHA-256 of the bytes, hex. Null if the card could not be fetched. */
  readonly hash: string | null
  readonly a2aVersion: CardVersion
  readonly problems: readonly CardProblem[]
}

/** What is kept of a card: not its bytes. */
type ReadCard = { readonly reason: string } | ExaminedCard
interface ExaminedCard extends Pick<NewCardVerdict, 'a2aVersion' | 'problems'> {
  readonly hashes: CardHashes
  readonly mismatch: string
}

const MAX_KEPT = 1_000

/**
 * Checks cards before a registration, by the rules of the later checks. Checks of the same URL
 * share a fetch. Anyone can name a site of others, so a site has limits for all clients together.
 */
export function createNewCardChecks(hosted: HostedDependencies, clock: Clock) {
  const admit = createAdmission(clock)
  const kept = new LRUCache<string, Promise<ReadCard>>({ max: MAX_KEPT })
  const read = (url: string): Promise<ReadCard> => {
    const known = kept.get(url)
    if (known !== undefined) return known
    const reading = admit(url, () => readCard(url, hosted))
    kept.set(url, reading)
    void reading.then(
      () => kept.set(url, reading, { ttl: NEW_CARD_CHECKS.keptMs }),
      () => kept.delete(url),
    )
    return reading
  }
  return {
    /** Throws INVALID_REQUEST, INVALID_TEXT, INVALID_TYPE and CARD_CHECKS_BUSY. */
    check: async ({ url, card }: NewCardSource, givenHash?: string | null): Promise<NewCardVerdict> => {
      const hash = optional(sha256Parameter, 'hash', givenHash)
      if (typeof card === 'string') return compare(examine(encodeCard(card)), hash)
      return compare(await read(readUrl(url)), hash)
    },
  }
}

function readUrl(given: unknown): string {
  const url = textParameter(AGENT_LIMITS.cardUrlBytes)('url', given)
  if (isCardUrl(url)) return url
  const problem = `must begin with ${CARD_URL_SCHEMES}`
  throw new DomainError('INVALID_TEXT', { parameter: 'url', problem, value: quoted(url) })
}

async function readCard(url: string, hosted: HostedDependencies): Promise<ReadCard> {
  const document = await fetchHosted(url, MAX_CARD_BYTES, hosted)
  if (document.kind === 'fetched') return examine(document.body)
  if (document.host === 'limited') throw new DomainError('CARD_CHECKS_BUSY')
  return { reason: document.reason }
}

function examine(body: Uint8Array): ExaminedCard {
  const json = parseCard(body)
  return { hashes: hashCard(body, json), mismatch: mismatchReason(json), ...findCardProblems(json) }
}

function compare(card: ReadCard, hash: string | undefined): NewCardVerdict {
  if ('reason' in card) {
    const unread = { matchedBy: null, hash: null, a2aVersion: null, problems: [] }
    return { state: 'unreachable', reason: card.reason, ...unread }
  }
  const { hashes, mismatch, a2aVersion, problems } = card
  const matchedBy = hash === undefined ? null : matchHash(hashes, hash)
  const isMismatch = hash !== undefined && matchedBy === null
  return {
    state: hash === undefined ? 'unchecked' : isMismatch ? 'mismatched' : 'matched',
    reason: isMismatch ? mismatch : null,
    matchedBy,
    hash: hashes.raw,
    a2aVersion,
    problems,
  }
}

/** Runs what fetches from a URL, within the limits of its site. Throws CARD_CHECKS_BUSY. */
function createAdmission(clock: Clock) {
  const { atOnce, perMinute, all, maxSites } = NEW_CARD_CHECKS
  const running = new Map<string, number>()
  const counter = createMemoryCounter(clock, maxSites)
  let runningInAll = 0
  const change = (site: string, by: 1 | -1): void => {
    const count = (running.get(site) ?? 0) + by
    runningInAll += by
    if (count === 0) running.delete(site)
    else running.set(site, count)
  }
  return async <Result>(url: string, run: () => Promise<Result>): Promise<Result> => {
    const { site } = cardOrigin(url)
    const kind = GATEWAY_SITES.includes(site) ? 'gateway' : 'site'
    const isBusy = runningInAll >= all || (running.get(site) ?? 0) >= atOnce[kind]
    if (isBusy || !counter.count(site, perMinute[kind]).allowed) throw new DomainError('CARD_CHECKS_BUSY')
    change(site, 1)
    try {
      return await run()
    } finally {
      change(site, -1)
    }
  }
}
