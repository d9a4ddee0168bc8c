import { quoted } from '../../../domain/quoted.ts'
import { LIMITS } from './limits.ts'

export type JsonValue = string | number | boolean | JsonValue[] | JsonObject
export interface JsonObject {
  [key: string]: JsonValue
}

/** The place of a member, for texts. */
export function memberPath(place: string, key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? `${place}.${key}` : `${place}[${quoted(key)}]`
}

/** Why a text is not read. The message names the place, as in `$.credentialSubject.id`. */
export class InvalidJson extends Error {
  override readonly name = 'UnreadableJson'
}

/** The rest of its grammar is JSON.parse's. */
const STRING = /"(?:[^"\\]|\\.)*"/sy
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const SPACE = /[ \t\n\r]*/y
const LITERAL = /true|false|null/y

/**
 * Reads UTF-8 JSON that means one thing to every reader: no key twice, no `__proto__`, no lone surrogate, no integer beyond 2^53, no
 * null, nothing beyond LIMITS. Throws UnreadableJson.
 */
export function parseStrictJson(bytes: Uint8Array): JsonValue {
  if (bytes.length > LIMITS.bytes) {
    throw new InvalidJson(`it has ${bytes.length} bytes, at most ${LIMITS.bytes} are read`)
  }
  const reader = createReader(decode(bytes))
  const value = reader.value('$', 1)
  reader.end()
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new InvalidJson('it is not UTF-8')
  }
}

function createReader(text: string): { value(place: string, depth: number): JsonValue; end(): void } {
  let at = 0
  let nodes = 0

  function take(pattern: RegExp): string | null {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return null
    at = pattern.lastIndex
    return found[0]
  }

  function takeSign(sign: string): boolean {
    take(SPACE)
    if (text[at] !== sign) return false
    at++
    return true
  }

  function fail(problem: string): never {
    throw new InvalidJson(problem)
  }

  function notJson(): never {
    return fail(`it is not JSON at character ${at + 1}`)
  }

  function string(place: string): string {
    const raw = take(STRING) ?? notJson()
    const value = unescaped(raw) ?? notJson()
    if (value.length > LIMITS.stringLength) {
      fail(`${place} has ${value.length} characters, at most ${LIMITS.stringLength} are read`)
    }
    if (!value.isWellFormed()) fail(`${place} has a lone surrogate`)
    return value
  }

  function number(place: string): number {
    const value = Number(take(NUMBER) ?? notJson())
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      fail(`${place} is a number beyond 2^53`)
    }
    return value
  }

  function literal(place: string): boolean {
    const word = take(LITERAL) ?? notJson()
    return word === 'null' ? fail(`${place} is null`) : word === 'true'
  }

  function array(place: string, depth: number): JsonValue[] {
    const items: JsonValue[] = []
    if (takeSign(']')) return items
    do {
      if (items.length === LIMITS.arrayItems) {
        fail(`${place} has more than ${LIMITS.arrayItems} items`)
      }
      items.push(value(`${place}[${items.length}]`, depth))
    } while (takeSign(','))
    return takeSign(']') ? items : notJson()
  }

  function object(place: string, depth: number): JsonObject {
    const members: JsonObject = {}
    if (takeSign('}')) return members
    do {
      take(SPACE)
      const key = string(`a key in ${place}`)
      if (key === '__proto__') fail(`${place} has the key __proto__`)
      if (Object.hasOwn(members, key)) fail(`${place} has the key ${quoted(key)} twice`)
      if (!takeSign(':')) notJson()
      members[key] = value(memberPath(place, key), depth)
    } while (takeSign(','))
    return takeSign('}') ? members : notJson()
  }

  function value(place: string, depth: number): JsonValue {
    take(SPACE)
    if (++nodes > LIMITS.nodes) fail(`it has more than ${LIMITS.nodes} values`)
    switch (text[at]) {
      case '{':
      case '[': {
        if (depth > LIMITS.depth) fail(`${place} is nested deeper than ${LIMITS.depth}`)
        const isObject = text[at++] === '{'
        return isObject ? object(place, depth + 1) : array(place, depth + 1)
      }
      case '"':
        return string(place)
      case 't':
      case 'f':
      case 'n':
        return literal(place)
      default:
        return number(place)
    }
  }

  return {
    value,
    end: () => {
      take(SPACE)
      if (at !== text.length) notJson()
    },
  }
}

function unescaped(raw: string): string | null {
  try {
    return JSON.parse(raw) as string
  } catch {
    return null
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
