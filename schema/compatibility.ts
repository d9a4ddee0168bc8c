import { buildSchema, findBreakingChanges } from 'graphql'

/** A break that was decided on, and why; `change` is the text that the check prints. */
export interface AcceptedBreak {
  readonly change: string
  readonly reason: string
}

/** What in `after` would break clients of `before`, the accepted aside. */
export function newBreaks(before: string, after: string, accepted: readonly AcceptedBreak[]): string[] {
  const known = new Set(accepted.filter(({ reason }) => reason.trim() !== '').map(({ change }) => change))
  return findBreakingChanges(buildSchema(before), buildSchema(after))
    .map(({ type, description }) => `${type}: ${description}`)
    .filter((change) => !known.has(change))
}
