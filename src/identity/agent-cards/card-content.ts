import type { CardContent, CardInterface, CardSkill } from '../../domain/agent-card.ts'
import { storable } from '../../ledger/decode/values.ts'
import { isObject, type JsonObject } from '../strict-json.ts'

export const CARD_LIMITS = { text: 2_048, interfaces: 16, skills: 32, tags: 16, credentials: 16 } as const

/** Reads a card of A2A 0.3 or 1.0. Ignores unknown members and truncates to CARD_LIMITS. */
export function readCardContent(card: unknown): CardContent | null {
  if (!isObject(card)) return null
  const interfaces = readInterfaces(card)
  const [first] = interfaces
  return {
    name: text(card.name),
    description: text(card.description),
    version: text(card.version),
    url: text(card.url) ?? first?.url ?? null,
    protocolVersion: text(card.protocolVersion) ?? first?.protocolVersion ?? null,
    provider: isObject(card.provider) ? text(card.provider.organization) : null,
    documentationUrl: text(card.documentationUrl),
    interfaces,
    skills: list(card.skills).filter(isObject).slice(0, CARD_LIMITS.skills).map(readSkill),
    credentials: list(card.credentials)
      .map((each) => text(isObject(each) ? each.url : each))
      .filter((url) => url !== null)
      .slice(0, CARD_LIMITS.credentials),
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
    const binding = text(entry.protocolBinding) ?? text(entry.transport)
    const key = `${entryUrl} ${binding ?? ''}`
    if (entryUrl === null || found.has(key)) continue
    found.set(key, { url: entryUrl, binding, protocolVersion: text(entry.protocolVersion) })
  }
  return [...found.values()].slice(0, CARD_LIMITS.interfaces)
}

function readSkill(skill: JsonObject): CardSkill {
  const tags = list(skill.tags)
    .map(text)
    .filter((tag) => tag !== null)
  return {
    id: text(skill.id) ?? '',
    name: text(skill.name) ?? '',
    description: text(skill.description) ?? '',
    tags: tags.slice(0, CARD_LIMITS.tags),
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? storable(value.slice(0, CARD_LIMITS.text)) : null
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
