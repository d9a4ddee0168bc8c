import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { quoted } from '../domain/quoted.ts'
import { findRepeatedKey } from '../domain/repeated-key.ts'

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [key: string]: JsonValue
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Why a JSON text is refused, as in `$.credentialSubject.id is null`. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson'
}

export interface ParsedJson {
  readonly text: string
  readonly value: unknown
}

export interface JsonLimits {
  readonly depth: number
  /** Values of any kind, including objects and arrays. */
  readonly values: number
  readonly arrayItems: number
  /** UTF-16 code units of a string or key. */
  readonly stringLength: number
  readonly allowNull: boolean
}

/** Parses JSON in UTF-8 without a byte order mark. Throws InvalidJson. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new InvalidJson('it is not UTF-8')
  }
  try {
    return { text, value: JSON.parse(text) }
  } catch (error) {
    const position = / at position \d+/.exec((error as Error).message)?.[0] ?? ''
    throw new InvalidJson(`it is not valid JSON${position}`)
  }
}

/**
 * Throws InvalidJson if a value exceeds the limits, or if JSON parsers could read the text
 * differently: repeated keys, `__proto__`, numbers beyond 2^53 and lone surrogates.
 */
export function assertUnambiguous({ text, value: root }: ParsedJson, limits: JsonLimits): void {
  let values = 0

  function visit(value: unknown, path: string, depth: number): void {
    values += 1
    if (values > limits.values) throw new InvalidJson(`it has more than ${limits.values} values`)
    if (typeof value === 'string') checkString(value, path)
    if (typeof value === 'number' && !isExact(value)) {
      throw new InvalidJson(`${path} is a number beyond 2^53`)
    }
    if (value === null && !limits.allowNull) throw new InvalidJson(`${path} is null`)
    if (typeof value !== 'object' || value === null) return
    if (depth > limits.depth) throw new InvalidJson(`${path} is nested deeper than ${limits.depth}`)
    if (!Array.isArray(value)) return visitMembers(value, path, depth)
    if (value.length > limits.arrayItems) {
      throw new InvalidJson(`${path} has more than ${limits.arrayItems} items`)
    }
    for (const [i, item] of value.entries()) visit(item, `${path}[${i}]`, depth + 1)
  }

  function visitMembers(object: object, path: string, depth: number): void {
    for (const [key, value] of Object.entries(object)) {
      checkString(key, `a key in ${path}`)
      if (key === '__proto__') throw new InvalidJson(`${path} has the key __proto__`)
      visit(value, memberPath(path, key), depth + 1)
    }
  }

  function checkString(string: string, path: string): void {
    if (string.length > limits.stringLength) {
      throw new InvalidJson(`${path} has ${string.length} characters; the limit is ${limits.stringLength}`)
    }
    if (!string.isWellFormed()) throw new InvalidJson(`${path} has a lone surrogate`)
  }

  visit(root, '$', 1)
  const repeated = findRepeatedKey(text)
  if (repeated !== null) throw new InvalidJson(`an object has the key ${quoted(repeated)} twice`)
}

/** The path of a member in error texts. */
export function memberPath(path: string, key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? `${path}.${key}` : `${path}[${quoted(key)}]`
}

function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
}

/** The JSON Canonicalization Scheme (RFC 8785). */
export function jcs(value: unknown): string {
  return canonicalize(value)!
}

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')

export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data)
