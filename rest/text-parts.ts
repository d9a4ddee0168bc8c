import { hash } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'

/** A text that is made of texts, some of which are kept. */
export type Parts = readonly (string | KeptText)[]

export class KeptText {
  readonly text: string
  #digest: string | null = null

  constructor(text: string) {
    this.text = text
  }

  get digest(): string {
    return (this.#digest ??= digestOf(this.text))
  }
}

const digestOf = (text: string): string => hash('sha256', text, 'base64url')

export const joined = (parts: Parts): string =>
  parts.map((each) => (typeof each === 'string' ? each : each.text)).join('')

/**
 * A strong entity tag: the same for the same JSON in every process. Kept texts stand in it by their
 * digests, because hashing a list of 50 whole takes 13 us. The media type is part of it
 * (RFC 9110, section 8.8.3).
 */
export function tagOf(type: string, parts: Parts): string {
  // JSON has no line breaks, and no number or name is as long as a digest, so lines tell parts
  // apart.
  const lines = parts.map((each) => (typeof each === 'string' ? each : each.digest))
  return `"${digestOf(`${type}\n${lines.join('\n')}`)}"`
}

type ReadRow = (row: unknown) => Readonly<Record<string, unknown>>

/**
 * Texts of rows, as long as the rows, and for each way to read them. A client can show all rows by
 * many documents, so all texts are forgotten when they are too many.
 */
export class KeptTexts {
  #texts = new WeakMap<ReadRow, WeakMap<object, KeptText>>()
  #characters = 0
  readonly #max: number

  constructor(maxCharacters: number) {
    this.#max = maxCharacters
  }

  of(row: object, read: ReadRow): KeptText {
    const known = this.#texts.get(read)?.get(row)
    if (known !== undefined) return known
    const kept = new KeptText(JSON.stringify(read(row)))
    this.#characters += kept.text.length + CHARACTERS_PER_TEXT
    if (this.#characters > this.#max) {
      this.#texts = new WeakMap()
      this.#characters = 0
    }
    const texts = this.#texts.get(read) ?? new WeakMap<object, KeptText>()
    texts.set(row, kept)
    this.#texts.set(read, texts)
    return kept
  }
}

/** For its place in a WeakMap, and its digest. */
const CHARACTERS_PER_TEXT = 200
const MAX_CHARACTERS = 2 ** 27

export const keptTexts = new KeptTexts(Math.min(MAX_CHARACTERS, getHeapStatistics().heap_size_limit / 16))
