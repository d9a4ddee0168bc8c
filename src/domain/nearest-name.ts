import { DomainError } from './errors.ts'
import { quoted } from './quoted.ts'

const SHORTEST_PREFIX = 4

/**
 * The known name that an unknown one probably means: it differs in case or underscores, is longer
 * or shorter, or has a few other letters. Null if no name is similar.
 */
export function nearestName(given: string, known: readonly string[]): string | null {
  const longest = Math.max(0, ...known.map((name) => name.length))
  // Clients choose the length of the name, and the distance costs its square.
  if (given.length > 2 * longest) return null
  const plain = simplify(given)
  const scored = known
    .map((name) => ({ name, distance: distance(plain, simplify(name)) }))
    .filter(({ name, distance: letters }) => letters <= name.length / 3)
    .sort((a, b) => a.distance - b.distance)
  return scored[0]?.name ?? null
}

function distance(given: string, name: string): number {
  const isPrefix = name.startsWith(given) || given.startsWith(name)
  if (isPrefix && Math.min(given.length, name.length) >= SHORTEST_PREFIX) return given === name ? 0 : 1
  return editDistance(given, name)
}

function simplify(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** Levenshtein distance: how many letters to add, remove or replace. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The error for a member of an object that is not one of the known ones. */
export function unknownMember(path: string, name: string, known: readonly string[]): DomainError {
  const nearest = nearestName(name, known)
  return new DomainError('UNKNOWN_MEMBER', {
    given: quoted(path),
    suggestion: nearest === null ? '' : ` Did you mean "${nearest}"?`,
    known: known.join(', ') || 'none',
  })
}
