import { DomainError } from './errors.ts'
import { nearestName } from './nearest-name.ts'
import { quoted } from './quoted.ts'

/** The error for a member of an object that is not one of the known ones. */
export function unknownMember(path: string, name: string, known: readonly string[]): DomainError {
  const nearest = nearestName(name, known)
  return new DomainError('UNKNOWN_MEMBER', {
    given: quoted(path),
    suggestion: nearest === null ? '' : ` Did you mean "${nearest}"?`,
    known: known.join(', ') || 'none',
  })
}
