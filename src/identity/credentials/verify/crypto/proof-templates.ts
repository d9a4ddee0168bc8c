import type { Canonize } from './canonize.ts'

/** These values need no escaping in N-Quads. */
const CREATED = /^[\dT:.Z+-]{20,40}$/
const KEY_ID = /^did:[a-z]+:[\w.:-]+#[\w.-]+$/
const PLACEHOLDERS = { created: '2000-01-01T00:00:00Z', verificationMethod: 'did:sol:placeholder#key-1' }
const USUAL_MEMBERS: ReadonlySet<string> = new Set([
  '@context',
  'created',
  'cryptosuite',
  'proofPurpose',
  'type',
  'verificationMethod',
])
const MAX_TEMPLATES = 100

/**
 * Canonicalises usual proof options with a template per context list and suite. They differ only in
 * `created` and `verificationMethod`, which do not change the order of lines. Saves a third of the
 * time.
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
      Object.keys(options).every((name) => USUAL_MEMBERS.has(name))
    if (!isUsual) return canonize(document)
    const key = JSON.stringify(shape)
    let template = templates.get(key)
    if (template === undefined) {
      template = splitAtPlaceholders(await canonize({ ...shape, ...PLACEHOLDERS }))
      if (templates.size < MAX_TEMPLATES) templates.set(key, template)
    }
    if (template === null) return canonize(document)
    const values = { [PLACEHOLDERS.created]: created, [PLACEHOLDERS.verificationMethod]: verificationMethod }
    return template.map((part) => values[part] ?? part).join('')
  }
}

/** The placeholders and the text around them. Null unless each placeholder occurs exactly once. */
function splitAtPlaceholders(text: string): string[] | null {
  const parts = text.split(/(2000-01-01T00:00:00Z|did:sol:placeholder#key-1)/)
  const found = parts.filter((_, i) => i % 2 === 1)
  return found.length === 2 && new Set(found).size === 2 ? parts : null
}
