import {
  assertUnambiguous,
  InvalidJson,
  isObject,
  type JsonLimits,
  type JsonObject,
  parseJson,
} from '../../json.ts'

/** Inputs that cost seconds in measurements exceed this and the limits below by far. */
export const MAX_CREDENTIAL_BYTES = 32_768
export const JSON_LIMITS = {
  depth: 10,
  values: 512,
  arrayItems: 256,
  stringLength: 8_192,
  allowNull: false,
}

const CREDENTIAL_LIMITS = { bytes: MAX_CREDENTIAL_BYTES, json: JSON_LIMITS }

/** Parses the bytes of a credential, or a value that was parsed from JSON. Or why it is invalid. */
export function parseCredential(
  raw: unknown,
  limits: { readonly bytes: number; readonly json: JsonLimits } = CREDENTIAL_LIMITS,
): JsonObject | string {
  const bytes = raw instanceof Uint8Array ? raw : encode(raw)
  if (bytes === null) return 'it is not valid JSON'
  if (bytes.length > limits.bytes) return `it has ${bytes.length} bytes; the limit is ${limits.bytes}`
  try {
    const json = parseJson(bytes)
    assertUnambiguous(json, limits.json)
    return isObject(json.value) ? json.value : 'it is not a JSON object'
  } catch (error) {
    if (error instanceof InvalidJson) return error.message
    throw error
  }
}

/** Null for undefined, a BigInt, or a value that contains itself. */
function encode(value: unknown): Uint8Array | null {
  try {
    return Buffer.from(JSON.stringify(value))
  } catch {
    return null
  }
}
