import { storable } from '../../ledger/decode/values.ts'
import type { CardSkill, CardInterface, CardContent } from '../../domain/agent-card.ts'

type Members = Record<string, unknown>

export const CARD_LIMITS = { text: 2_048, interfaces: 16, skills: 32, tags: 16, credentials: 16 } as const

/** Reads a card leniently; null for what is no JSON object. Long texts and lists are cut at CARD_LIMITS. */
export function readCardContent(card: unknown): CardContent | null {
  if (!isMembers(card)) return null
  const interfaces = cardInterfaces(card)
  const [first] = interfaces
  return {
    name: text(card.name),
    description: text(card.description),
    version: text(card.version),
    url: text(card.url) ?? first?.url ?? null,
    protocolVersion: text(card.protocolVersion) ?? first?.protocolVersion ?? null,
    provider: isMembers(card.provider) ? text(card.provider.organization) : null,
    documentationUrl: text(card.documentationUrl),
    interfaces,
    skills: list(card.skills).filter(isMembers).slice(0, CARD_LIMITS.skills).map(skill),
    credentials: list(card.credentials)
      .map((each) => text(isMembers(each) ? each.url : each))
      .filter((url) => url !== null)
      .slice(0, CARD_LIMITS.credentials),
  }
}

/** 1.0 has them in one list; 0.3 has the preferred one at the top and others beside it. */
function cardInterfaces(card: Members): CardInterface[] {
  const preferred = {
    url: card.url,
    transport: card.preferredTransport,
    protocolVersion: card.protocolVersion,
  }
  const given = [...list(card.supportedInterfaces), preferred, ...list(card.additionalInterfaces)]
  const read = given.filter(isMembers).flatMap((each) => {
    const url = text(each.url)
    const binding = text(each.protocolBinding) ?? text(each.transport)
    return url === null ? [] : [{ url, binding, protocolVersion: text(each.protocolVersion) }]
  })
  const known = new Map(read.toReversed().map((each) => [`${each.url} ${each.binding ?? ''}`, each]))
  return [...known.values()].toReversed().slice(0, CARD_LIMITS.interfaces)
}

function skill(given: Members): CardSkill {
  const tags = list(given.tags)
    .map(text)
    .filter((tag) => tag !== null)
  return {
    id: text(given.id) ?? '',
    name: text(given.name) ?? '',
    description: text(given.description) ?? '',
    tags: tags.slice(0, CARD_LIMITS.tags),
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? storable(value.slice(0, CARD_LIMITS.text)) : null
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
