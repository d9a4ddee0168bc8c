import { buildSchema, findBreakingChanges } from 'graphql'

/** An intended breaking change. `change` is the text that the check prints. */
export interface AcceptedBreak {
  readonly change: string
  readonly reason: string
}

/** The changes from `before` to `after` that break clients and are not accepted. */
export function newBreaks(before: string, after: string, accepted: readonly AcceptedBreak[]): string[] {
  const known = new Set(accepted.filter(({ reason }) => reason.trim() !== '').map(({ change }) => change))
  return findBreakingChanges(buildSchema(before), buildSchema(after))
    .map(({ type, description }) => `${type}: ${description}`)
    .filter((change) => !known.has(change))
}
