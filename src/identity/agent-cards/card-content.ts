import { assertUnambiguous, isObject, jcs, type JsonObject, type ParsedJson, parseJson } from '../json.ts'
import type { CardContent, CardInterface, CardSkill } from '../../domain/agent-card.ts'
import { databaseText } from '../../ledger/decode/values.ts'

/** Several times the size of real cards. Canonicalising larger cards would block the event loop. */
const LIMITS = {
  depth: 64,
  values: 10_000,
  arrayItems: Infinity,
  stringLength: Infinity,
  allowNull: true,
}

export interface CardJson {
  readonly value: unknown
  /** The canonical form (RFC 8785). Null if `problem` says why there is none. */
  readonly canonical: string | null
  readonly problem: string | null
}

/** Parses the body of a card. Null if it is not JSON in UTF-8. */
export function parseCard(body: Uint8Array): CardJson | null {
  let json: ParsedJson
  try {
    json = parseJson(body)
  } catch {
    return null
  }
  const { value } = json
  try {
    assertUnambiguous(json, LIMITS)
    return { value, canonical: jcs(value), problem: null }
  } catch (error) {
    return { value, canonical: null, problem: (error as Error).message }
  }
}

/** Texts in characters, lists in entries, and the bytes of all entries of a list as JSON. */
export const CARD_LIMITS = {
  text: 2_048,
  shortText: 256,
  interfaces: 16,
  interfacesBytes: 8_192,
  skills: 32,
  skillsBytes: 16_384,
  tags: 16,
  credentials: 16,
  credentialsBytes: 8_192,
} as const

/** Reads a card of A2A 0.3 or 1.0. Ignores unknown members and truncates to CARD_LIMITS. */
export function readCardContent(card: unknown): CardContent | null {
  if (!isObject(card)) return null
  const interfaces = readInterfaces(card)
  const [first] = interfaces
  return {
    name: shortText(card.name),
    description: text(card.description),
    version: shortText(card.version),
    url: text(card.url) ?? first?.url ?? null,
    protocolVersion: shortText(card.protocolVersion) ?? first?.protocolVersion ?? null,
    provider: isObject(card.provider) ? shortText(card.provider.organization) : null,
    documentationUrl: text(card.documentationUrl),
    interfaces,
    skills: fitting(
      list(card.skills).filter(isObject).slice(0, CARD_LIMITS.skills).map(readSkill),
      CARD_LIMITS.skillsBytes,
    ),
    credentials: fitting(
      list(card.credentials)
        .map((each) => text(isObject(each) ? each.url : each))
        .filter((url) => url !== null)
        .slice(0, CARD_LIMITS.credentials),
      CARD_LIMITS.credentialsBytes,
    ),
  }
}

/** A2A 1.0 has one list. 0.3 has the preferred interface at the top level, and a list of others. */
function readInterfaces(card: JsonObject): CardInterface[] {
  const { url, preferredTransport: transport, protocolVersion } = card
  const entries = [
    ...list(card.supportedInterfaces),
    { url, transport, protocolVersion },
    ...list(card.additionalInterfaces),
  ]
  const found = new Map<string, CardInterface>()
  for (const entry of entries.filter(isObject)) {
    const entryUrl = text(entry.url)
    const binding = shortText(entry.protocolBinding) ?? shortText(entry.transport)
    const key = `${entryUrl} ${binding ?? ''}`
    if (entryUrl === null || found.has(key)) continue
    found.set(key, { url: entryUrl, binding, protocolVersion: shortText(entry.protocolVersion) })
  }
  return fitting([...found.values()].slice(0, CARD_LIMITS.interfaces), CARD_LIMITS.interfacesBytes)
}

function readSkill(skill: JsonObject): CardSkill {
  const tags = list(skill.tags)
    .map(shortText)
    .filter((tag) => tag !== null)
  return {
    id: shortText(skill.id) ?? '',
    name: shortText(skill.name) ?? '',
    description: text(skill.description) ?? '',
    tags: tags.slice(0, CARD_LIMITS.tags),
  }
}

function text(value: unknown, limit: number = CARD_LIMITS.text): string | null {
  return typeof value === 'string' && value !== '' ? databaseText(value.slice(0, limit)) : null
}

const shortText = (value: unknown): string | null => text(value, CARD_LIMITS.shortText)

/** The first entries with at most `bytes` as JSON. A page of agents reads the cards of all. */
function fitting<Entry>(entries: readonly Entry[], bytes: number): Entry[] {
  let left = bytes
  const end = entries.findIndex((entry) => (left -= Buffer.byteLength(JSON.stringify(entry))) < 0)
  return end === -1 ? [...entries] : entries.slice(0, end)
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
