import { jcs } from '../hash.ts'
import { assertUnambiguous, type ParsedJson, parseJson } from '../strict-json.ts'

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
