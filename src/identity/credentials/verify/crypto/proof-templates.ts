import type { Canonize } from './canonize.ts'

/** Plain enough to stand in N-Quads as they are. */
const CREATED = /^[\dT:.Z+-]{20,40}$/
const KEY_ID = /^did:[a-z]+:[\w.:-]+#[\w.-]+$/
const PLACEHOLDERS = { created: '2000-01-01T00:00:00Z', verificationMethod: 'did:sol:placeholder#key-1' }
const MEMBERS: ReadonlySet<string> = new Set([
  '@context',
  'created',
  'cryptosuite',
  'proofPurpose',
  'type',
  'verificationMethod',
])
const MAX_TEMPLATES = 100

/**
 * Canonicalises the usual proof options by a template, one for each list of contexts and suite: they differ in `created` and
 * `verificationMethod` alone, each the object of its own line, which changes no order. That saves a third of a verification.
 */
export function withProofTemplates(canonize: Canonize): Canonize {
  const templates = new Map<string, string[] | null>()

  return async (document) => {
    const options = document as Record<string, unknown>
    const { created, verificationMethod, ...shape } = options
    const isUsual =
      typeof created === 'string' &&
      CREATED.test(created) &&
      typeof verificationMethod === 'string' &&
      KEY_ID.test(verificationMethod) &&
      Object.keys(options).every((name) => MEMBERS.has(name))
    if (!isUsual) return canonize(document)
    const key = JSON.stringify(shape)
    let template = templates.get(key)
    if (template === undefined) {
      template = split(await canonize({ ...shape, ...PLACEHOLDERS }))
      if (templates.size < MAX_TEMPLATES) templates.set(key, template)
    }
    if (template === null) return canonize(document)
    const values = { [PLACEHOLDERS.created]: created, [PLACEHOLDERS.verificationMethod]: verificationMethod }
    return template.map((part) => values[part] ?? part).join('')
  }
}

/** The text around the placeholders, and they themselves; null unless each comes once. */
function split(text: string): string[] | null {
  const parts = text.split(/(2000-01-01T00:00:00Z|did:sol:placeholder#key-1)/)
  const found = parts.filter((_, i) => i % 2 === 1)
  return found.length === 2 && new Set(found).size === 2 ? parts : null
}
